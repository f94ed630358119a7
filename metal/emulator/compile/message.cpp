#include "metal/emulator/compile/message.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "metal/device/line_scanner.h"

namespace assay::metal::emulator {

namespace {

std::optional<std::uint32_t> number_in(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return problem == std::errc() ? std::optional(value) : std::nullopt;
}

/// Reads ":line:column: kind: text".
std::optional<CompilerMessage> message_after(std::string_view file, LineScanner scanner) {
  static constexpr std::array<std::string_view, 4> kinds = {"error", "fatal error", "warning", "note"};
  scanner.take(":");
  const auto line = number_in(scanner.take_digits());
  if (!line || !scanner.take(":")) return std::nullopt;
  const auto column = number_in(scanner.take_digits());
  if (!column || !scanner.take(": ")) return std::nullopt;
  const auto kind = std::ranges::find_if(kinds, [&](std::string_view word) { return scanner.take(word); });
  if (kind == kinds.end() || !scanner.take(": ")) return std::nullopt;
  return CompilerMessage{{std::string(file), *line, *column}, *kind, scanner.rest()};
}

}  // namespace

std::optional<CompilerMessage> message_in(std::string_view line) {
  for (std::size_t colon = line.find(':'); colon != std::string_view::npos; colon = line.find(':', colon + 1))
    if (auto message = message_after(line.substr(0, colon), LineScanner(line.substr(colon)))) return message;
  return std::nullopt;
}

std::string without_own_types(std::string text) {
  constexpr std::string_view own = "'assay_type_", known = "' (aka '";
  for (std::size_t at = text.find(own); at != std::string::npos; at = text.find(own, at + 1)) {
    const std::size_t quote = text.find('\'', at + own.size());
    if (quote == std::string::npos || text.compare(quote, known.size(), known) != 0) continue;
    const std::size_t end = text.find("')", quote + known.size());
    if (end == std::string::npos) break;
    text.erase(end + 1, 1);
    text.erase(at, quote + known.size() - at - 1);
  }
  return text;
}

}  // namespace assay::metal::emulator
