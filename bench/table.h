// Benchmarks as a Markdown table: a row a run, a column a counter.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace assay::bench {

/// A column of the counter with this name; "-" where a run lacks the counter.
struct Column {
  const char* name;
  const char* format;  ///< printf's, of a double
};

class Table : public benchmark::BenchmarkReporter {
 public:
  /// `title`: printed above the table; may be empty.
  Table(std::string title, std::vector<Column> columns) : title_(std::move(title)), columns_(std::move(columns)) {}

  bool ReportContext(const Context&) override {
    if (!title_.empty()) std::printf("%s\n\n", title_.c_str());
    std::printf("| batch ");
    for (const Column& column : columns_) std::printf("| %s ", column.name);
    std::printf("|\n|---");
    for (std::size_t i = 0; i < columns_.size(); ++i) std::printf("|---");
    std::printf("|\n");
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      std::printf("| %s ", run.run_name.function_name.c_str());
      for (const Column& column : columns_) print_cell(run, column);
      std::printf("|\n");
      std::fflush(stdout);
    }
  }

 private:
  static void print_cell(const Run& run, const Column& column) {
    const auto found = run.counters.find(column.name);
    if (found == run.counters.end()) return void(std::printf("| - "));
    std::printf("| ");
    std::printf(column.format, found->second.value);
    std::printf(" ");
  }

  std::string title_;
  std::vector<Column> columns_;
};

}  // namespace assay::bench
