#include "validation/shader/suppressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "metal/device/line_scanner.h"
#include "metal/device/read_file.h"
#include "validation/core/parse.h"
#include "validation/shader/allow.h"

namespace assay::validation {

namespace {

using metal::LineScanner;

/// Whether the last components of `path` are those of `end`.
bool ends_with(const std::filesystem::path& path, const std::filesystem::path& end) {
  const std::vector<std::filesystem::path> all(path.begin(), path.end()), last(end.begin(), end.end());
  return all.size() >= last.size() && std::equal(last.rbegin(), last.rend(), all.rbegin());
}

bool is_letter(char letter) {
  return letter >= 'a' && letter <= 'z';
}

bool is_space(char letter) {
  return letter == ' ';
}

/// Reads ":LINE - REASON".
bool take_end(LineScanner scanner, std::string_view& digits, std::string_view& reason) {
  scanner.take(":");
  digits = scanner.take_digits();
  const bool is_apart = !scanner.take_while(is_space).empty() && scanner.take("-");
  if (digits.empty() || !is_apart || scanner.take_while(is_space).empty()) return false;
  reason = scanner.rest();
  return !metal::is_blank(reason);
}

struct Line {
  std::string_view rule, file, digits, reason;
};

/// The parts of 'CHECK FILE:LINE - REASON'. A path may hold colons.
std::optional<Line> parts_of(std::string_view text) {
  LineScanner scanner(text);
  Line line{scanner.take_while(is_letter), {}, {}, {}};
  if (scanner.take_while(is_space).empty()) return std::nullopt;
  const std::string_view rest = scanner.rest();
  for (std::size_t colon = rest.find(':', 1); colon < rest.size(); colon = rest.find(':', colon + 1)) {
    line.file = rest.substr(0, colon);
    if (!line.file.ends_with(' ') && take_end(LineScanner(rest.substr(colon)), line.digits, line.reason)) return line;
  }
  return std::nullopt;
}

/// For messages.
std::string beginning_of(std::string_view line) {
  constexpr std::size_t most = 200;
  return line.size() <= most ? std::string(line) : std::string(line.substr(0, most)) + "...";
}

}  // namespace

Suppressions::Suppressions(const std::filesystem::path& path) {
  const auto text = metal::read_text(path);
  if (!text)
    throw std::invalid_argument(
        fmt::format("--suppress {}: expected a file that can be read: {}", path.string(), text.error().text));
  std::istringstream stream(*text);
  std::string full;
  for (int number = 1; std::getline(stream, full); ++number) {
    const std::string_view line = metal::without_carriage_return(full);
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    const auto parts = parts_of(line);
    const bool has_form = parts && can_be_allowed(parts->rule);
    const auto at = has_form ? parse_number<std::uint32_t>(parts->digits) : std::nullopt;
    if (!at)
      throw std::invalid_argument(
          fmt::format("--suppress {}:{}: expected 'CHECK FILE:LINE - REASON', with {}, and not '{}'", path.string(),
                      number, allowable_checks, beginning_of(line)));
    entries_.push_back({std::string(parts->rule), std::filesystem::path(parts->file).lexically_normal(), *at,
                        std::string(parts->reason)});
  }
}

std::optional<std::string> Suppressions::reason(const std::string& rule,
                                                const metal::emulator::SourcePosition& place) const {
  const std::filesystem::path file = std::filesystem::path(place.file).lexically_normal();
  const auto entry = std::ranges::find_if(entries_, [&](const Entry& one) {
    return one.rule == rule && one.line == place.line && ends_with(file, one.file);
  });
  return entry == entries_.end() ? std::nullopt : std::optional(entry->reason);
}

}  // namespace assay::validation
