// A gate run as text for a terminal: a table of at most 100 columns, the coverage, and each failure in full.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "validation/core/gate.h"

namespace assay::validation {

/// One row of the table: verdict, cases, worst error as a share of its bound, claim.
std::string table_row(const PropertySummary& report, bool colour);

/// The heading of the table.
std::string table_heading();

/// Items separated by commas, on lines of at most `width` columns that begin with `indent`.
std::string wrapped(const std::vector<std::string>& items, std::size_t width, const std::string& indent);

/// "no labels 85, no frames 40, ..." wrapped to 100 columns; classes that were never met are named.
std::string coverage_text(const Coverage& coverage);

/// The error of the case as first met beside the error of the shrunk one, each on a line with its end; empty where
/// shrinking did not change it, or the property measures none.
std::string errors_text(const Margin& first, const Margin& shrunk);

/// The words of a line that replays a case. Throws std::invalid_argument for another line.
std::string words_of_replay_line(const std::string& line);

namespace detail {

/// The command that replays the case which `words` describe, for a shell to read.
std::string replay_line(const std::string& words);

/// The file for a case that is too long for a line. Makes the file's folder.
std::filesystem::path failure_file(const std::string& property, const std::string& line);

/// `errors` is errors_text() of the failure.
std::string failure_text(const PropertySummary& report, const std::string& origin, const std::string& errors,
                         const std::string& explanation, const std::string& reproducer, bool colour);

}  // namespace detail

/// The words that replay a case: "operation=... property=... kernel=... T=...", or, where the case is large, the path
/// of a file that it was written to.
template <class Operation>
std::string reproducer(const std::string& property, const std::string& kernel, const typename Operation::Case& c) {
  const std::string words = fmt::format("operation={} property={} kernel={} ", Operation::name, property, kernel);
  const std::string line = words + Operation::to_text(c);
  constexpr std::size_t longest_line = 2000;
  if (line.size() <= longest_line) return detail::replay_line(line);
  const auto path = detail::failure_file(property, line);
  Operation::write(path, c);
  return detail::replay_line(words + "file=" + path.string());
}

/// What failed, where, by how much, and the line that reproduces it.
template <class Operation>
std::string failure_text(const PropertyReport<Operation>& report, const std::string& kernel, bool colour) {
  if (!report.failure) return "";
  const Failure<Operation>& failure = *report.failure;
  return detail::failure_text(report, failure.origin, errors_text(failure.first_margin, failure.margin),
                              failure.explanation, reproducer<Operation>(report.property, kernel, failure.problem),
                              colour);
}

}  // namespace assay::validation
