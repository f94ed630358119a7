#include "validation/core/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "validation/core/printable.h"

namespace assay::validation {
namespace {

[[noreturn]] void refuse_lost_text(std::FILE* stream, int error) {
  const char* const name = stream == stdout ? "standard output" : stream == stderr ? "standard error" : "a stream";
  throw std::runtime_error(fmt::format("{} cannot be written, and what was to be printed is lost: {}", name,
                                       std::strerror(error == 0 ? EIO : error)));  // NOLINT(concurrency-mt-unsafe)
}

/// The length of the code of paint() that begins `text`: bold, a colour of the sixteen, or the end of both.
std::size_t colour_code(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const std::string_view digits = text.substr(2, text.find_first_not_of("0123456789", 2) - 2);
  const bool is_colour = digits.size() == 2 && (digits[0] == '3' || digits[0] == '9') && digits[1] < '8';
  const bool is_known = is_colour || digits == "0" || digits == "1";
  return is_known && text.substr(2 + digits.size()).starts_with('m') ? digits.size() + 3 : 0;
}

}  // namespace

void reserve_standard_streams() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(number, F_GETFD) < 0 && errno == EBADF)
      static_cast<void>(open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

void write_text(std::FILE* stream, std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stream) < text.size()) refuse_lost_text(stream, errno);
}

void flush(std::FILE* stream) {
  errno = 0;
  if (std::fflush(stream) != 0 || std::ferror(stream) != 0) refuse_lost_text(stream, errno);
}

std::string shown(std::string_view text, bool colour) {
  std::string out;
  while (!text.empty()) {
    const std::size_t code = colour ? colour_code(text) : 0;
    out += text.substr(0, code);
    text.remove_prefix(code);
    const std::size_t end = colour ? std::min(text.find('\033', code > 0 ? 0 : 1), text.size()) : text.size();
    out += printable(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

bool wants_colour(std::FILE* stream) {
  return isatty(fileno(stream)) != 0 && std::getenv("NO_COLOR") == nullptr && std::getenv("CI") == nullptr;
}

std::string paint(std::string_view text, const fmt::text_style& style, bool colour) {
  return colour ? fmt::format(style, "{}", text) : std::string(text);
}

std::string painted_name(Verdict verdict, bool colour) {
  const auto name = fmt::format("{:<10}", name_of(verdict));
  switch (verdict) {
    case Verdict::pass:
      return paint(name, fmt::fg(fmt::terminal_color::green), colour);
    case Verdict::skipped:
      return paint(name, fmt::fg(fmt::terminal_color::bright_black), colour);
    case Verdict::mistrusted:
      return paint(name, fmt::fg(fmt::terminal_color::yellow), colour);
    case Verdict::error:
    case Verdict::fail:
      break;
  }
  return paint(name, fmt::fg(fmt::terminal_color::red) | fmt::emphasis::bold, colour);
}

bool ProgressBar::is_wanted() {
  return isatty(fileno(stderr)) != 0 && std::getenv("CI") == nullptr;
}

void ProgressBar::show(double done, double total, const std::string& label) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (!enabled_ || (drawn_ && now - last_ < 50ms)) return;
  last_ = now;
  drawn_ = true;
  constexpr int width = 40;
  const int filled = static_cast<int>(width * std::clamp(done / std::max(total, 1.0), 0.0, 1.0));
  write_text(stderr, fmt::format("\r\033[K  [{}{}] {:3.0f} %  {}", std::string(static_cast<std::size_t>(filled), '='),
                                 std::string(static_cast<std::size_t>(width - filled), ' '),
                                 100 * done / std::max(total, 1.0), printable_line(label)));
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (!enabled_ || !drawn_) return;
  std::fputs("\r\033[K", stderr);  // the destructor calls it: a terminal that is gone is no error here
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace assay::validation
