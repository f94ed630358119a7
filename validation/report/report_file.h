// Reports in files: written so that a reader never meets half of one, and read whatever their format.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "validation/report/record.h"

namespace assay::validation {

/// Where a report is wanted; an empty path is none, and "-" as `json` is standard output.
struct ReportFiles {
  std::string json;
  std::string junit;
  std::string html;
};

/// Throws std::runtime_error where a file lies in no folder: to be asked before a long run, not after it.
void require_folders(const ReportFiles& files);

/// Throws std::runtime_error, naming the file, where one cannot be written.
void write_report(const Report& report, const ReportFiles& files);

/// Writes a temporary file beside `path` and renames it, so that `path` holds either what it held or all of `text`; a
/// device or pipe is written to as it is. Throws std::runtime_error where that fails.
void write_atomically(const std::filesystem::path& path, const std::string& text);

/// Reads a JSON report. Throws std::invalid_argument or std::runtime_error, naming the file and what is wrong with it.
Report read_report(const std::filesystem::path& path);

/// Rewrites a JSON report now and then while a run goes on, lest a run that is killed have to begin anew.
class Checkpoint {
 public:
  explicit Checkpoint(std::string path, std::chrono::seconds interval = std::chrono::seconds(30))
      : path_(std::move(path)), interval_(interval) {}

  /// Whether to write now: the first time, then once in an interval; never without a path that is a file.
  bool is_due() const;
  void write(const Report& report);

 private:
  std::string path_;
  std::chrono::seconds interval_;
  std::chrono::steady_clock::time_point last_{};
};

/// A failure in a report, to be judged again.
struct ReportedFailure {
  std::string property;
  std::string words;  ///< "operation=... property=... kernel=... T=..."
  int digits = 50;
};

/// The failures that a report holds, be it JSON, JUnit XML or HTML. Throws as read_report.
std::vector<ReportedFailure> reported_failures(const std::filesystem::path& path);

}  // namespace assay::validation
