// A gate run as text for a terminal: a table of at most 100 columns, the coverage, and each failure in full.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
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

/// What stands between two cases of a line that replays several.
inline constexpr std::string_view then = " then ";

/// The words of a line that replays a case. Throws std::invalid_argument for another line.
std::string words_of_replay_line(const std::string& line);

/// The words of each case of a line that replays several.
std::vector<std::string> parts_of(const std::string& words);

namespace detail {

/// The command that replays the case which `words` describe, for a shell to read.
std::string replay_line(const std::string& words);

/// The file for a case that is too long for a line. Makes the file's folder.
std::filesystem::path failure_file(const std::string& property, const std::string& line);

/// `errors` is errors_text() of the failure, `why` the text of its explanation.
std::string failure_text(const PropertySummary& report, const std::string& origin, const std::string& errors,
                         const std::string& explanation, const std::string& reproducer, bool colour,
                         const std::string& why = "");

}  // namespace detail

/// The line that replays cases in turn: "operation=... property=... kernel=... T=... then times=3 T=...", or, where the
/// cases are large, with the paths of files that they were written to.
template <class Operation>
std::string reproducer(const std::string& property, const std::string& kernel, const Sequence<Operation>& cases) {
  const std::string words = fmt::format("operation={} property={} kernel={} ", Operation::name, property, kernel);
  const auto line_of = [&](const auto& text_of) {
    std::string line = words;
    for (std::size_t i = 0, times = 1; i < cases.size(); i += times) {
      for (times = 1; i + times < cases.size() && *cases[i + times] == *cases[i];) ++times;
      line +=
          (i > 0 ? std::string(then) : "") + (times > 1 ? fmt::format("times={} ", times) : "") + text_of(*cases[i]);
    }
    return line;
  };
  const std::string line = line_of(Operation::to_text);
  constexpr std::size_t longest_line = 2000;
  if (line.size() <= longest_line) return detail::replay_line(line);
  return detail::replay_line(line_of([&](const typename Operation::Case& c) {
    const auto path = detail::failure_file(property, words + Operation::to_text(c));
    Operation::write(path, c);
    return "file=" + path.string();
  }));
}

template <class Operation>
std::string reproducer(const std::string& property, const std::string& kernel, const typename Operation::Case& c) {
  return reproducer<Operation>(property, kernel, {std::make_shared<const typename Operation::Case>(c)});
}

/// What failed, where, by how much, and the line that reproduces it.
template <class Operation>
std::string failure_text(const PropertyReport<Operation>& report, const std::string& kernel, bool colour) {
  if (!report.failure) return "";
  const Failure<Operation>& failure = *report.failure;
  const std::string line = failure.sequence.empty() ? reproducer<Operation>(report.property, kernel, failure.problem)
                                                    : reproducer<Operation>(report.property, kernel, failure.sequence);
  return detail::failure_text(report, failure.origin, errors_text(failure.first_margin, failure.margin),
                              failure.explanation, line, colour);
}

}  // namespace assay::validation
