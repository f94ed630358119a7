// A gate run as text for a terminal: a table of at most 100 columns, the coverage, and each failure in full.
#pragma once

#include <cstddef>
#include <filesystem>
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

}  // namespace detail

/// The line that replays cases in turn: "operation=... property=... kernel=... T=... then times=3 T=...", or, where the
/// cases are large, with the paths of files that they were written to.
std::string reproducer(const GateSubject& subject, std::size_t property, const Sequence& cases);

/// The line that replays a failure: that of its sequence, if there is one.
std::string reproducer(const GateSubject& subject, std::size_t property, const Failure& failure);

}  // namespace assay::validation
