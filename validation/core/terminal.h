// Prints text: with colour, marks and a progress bar for people at a terminal, plain for everyone else. All that the
// program prints goes through write_text, so that no output is lost in silence.
#pragma once

#include <fmt/color.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "validation/core/verdict.h"

namespace assay::validation {

/// Opens standard streams that are closed, in such a way that writing to them fails. Otherwise the next file that is
/// opened would become standard output. Call it before anything is opened.
void reserve_standard_streams();

/// Writes `text` as it is. Throws std::runtime_error, naming the stream and the reason, if the stream does not take it;
/// a stream with a buffer may do so later.
void write_text(std::FILE* stream, std::string_view text);

/// Writes what the stream's buffer holds. Throws as write_text does, also for text that was lost before.
void flush(std::FILE* stream);

/// What the stream shows of `text`: printable (printable.h), with the colours of paint() alone if `colour` is true.
std::string shown(std::string_view text, bool colour);

/// Is the stream a terminal that wants colour? NO_COLOR and CI switch it off.
bool wants_colour(std::FILE* stream);

/// Prints a text of any origin, as shown() has it. Throws as write_text does.
template <class... Parts>
void tell(std::FILE* stream, fmt::format_string<Parts...> format, Parts&&... parts) {
  write_text(stream, shown(fmt::format(format, std::forward<Parts>(parts)...), wants_colour(stream)));
}

/// As above, on standard output.
template <class... Parts>
void tell(fmt::format_string<Parts...> format, Parts&&... parts) {
  tell(stdout, format, std::forward<Parts>(parts)...);
}

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
