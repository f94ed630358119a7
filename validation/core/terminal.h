// Colour, marks and a progress bar for people at a terminal; plain text for everyone else.
#pragma once

#include <fmt/color.h>

#include <chrono>
#include <string>
#include <string_view>

#include "validation/core/verdict.h"

namespace assay::validation {

/// Is the stream a terminal that wants colour? NO_COLOR and CI switch it off.
bool wants_colour(std::FILE* stream);

/// `text` in `style`, or unchanged if `colour` is false.
std::string paint(std::string_view text, const fmt::text_style& style, bool colour);

/// The verdict's name in its colour, padded to ten columns.
std::string painted_name(Verdict verdict, bool colour);

/// One line on stderr that is redrawn in place; nothing if stderr is not a terminal.
class ProgressBar {
 public:
  ProgressBar() : enabled_(is_wanted()) {}
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() { clear(); }

  /// Whether stderr is a terminal, and no CI's.
  static bool is_wanted();

  /// `done` of `total` steps; drawn at most twenty times a second.
  void show(double done, double total, const std::string& label);
  void clear();

 private:
  bool enabled_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace assay::validation
