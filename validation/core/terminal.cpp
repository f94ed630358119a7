#include "validation/core/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace assay::validation {

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
  fmt::print(stderr, "\r\033[K  [{}{}] {:3.0f} %  {}", std::string(static_cast<std::size_t>(filled), '='),
             std::string(static_cast<std::size_t>(width - filled), ' '), 100 * done / std::max(total, 1.0), label);
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (!enabled_ || !drawn_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace assay::validation
