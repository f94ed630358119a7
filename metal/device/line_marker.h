// Line markers, which name the file and the line that the text behind them is from: # 12 "file" 1 3, or #line 12
// "file". The name is written as in a string literal: a quote, a backslash, a newline and, in what clang preprocessed,
// every letter that is not ASCII is escaped.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace assay::metal {

/// The name between the quotes of a marker, and back.
std::string escaped_file(std::string_view file);
std::string unescaped_file(std::string_view escaped);

struct LineMarker {
  std::size_t line = 1;      ///< the number of the line behind the marker
  std::string_view escaped;  ///< the file, as escaped_file writes it
  std::string_view flags;    ///< what follows the file

  std::string file() const { return unescaped_file(escaped); }
  bool is_of_system_header() const { return flags.find('3') != std::string_view::npos; }
};

/// Nothing if the line is no marker, or names no file.
std::optional<LineMarker> line_marker(std::string_view line);

}  // namespace assay::metal
