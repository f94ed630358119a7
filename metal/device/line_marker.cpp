#include "metal/device/line_marker.h"

#include <fmt/format.h>

#include <charconv>

#include "metal/device/line_scanner.h"

namespace assay::metal {

namespace {

bool is_octal(char letter) {
  return letter >= '0' && letter <= '7';
}

/// Reads what follows a backslash.
char take_escaped(LineScanner& scanner) {
  const std::string_view rest = scanner.rest();
  std::size_t digits = 0;
  while (digits < 3 && digits < rest.size() && is_octal(rest[digits])) ++digits;
  if (digits == 0) {
    const char letter = scanner.take_first(1).front();
    return letter == 'n' ? '\n' : letter == 't' ? '\t' : letter;
  }
  unsigned code = 0;
  for (const char digit : scanner.take_first(digits)) code = 8 * code + static_cast<unsigned>(digit - '0');
  return static_cast<char>(static_cast<unsigned char>(code));
}

/// What stands before the next quote that is not escaped.
std::string_view take_name(LineScanner& scanner) {
  bool is_escaped = false;
  return scanner.take_while([&](char letter) {
    const bool ends = letter == '"' && !is_escaped;
    is_escaped = letter == '\\' && !is_escaped;
    return !ends;
  });
}

}  // namespace

std::string escaped_file(std::string_view file) {
  std::string text;
  for (const char letter : file) {
    if (letter == '\n')
      text += "\\n";
    else if (static_cast<unsigned char>(letter) < ' ')
      text += fmt::format("\\{:03o}", static_cast<unsigned char>(letter));
    else
      text.append(letter == '"' || letter == '\\' ? "\\" : "").append(1, letter);
  }
  return text;
}

std::string unescaped_file(std::string_view escaped) {
  std::string file;
  LineScanner scanner(escaped);
  while (true) {
    file += scanner.take_while([](char letter) { return letter != '\\'; });
    if (!scanner.take("\\") || scanner.rest().empty()) return file;
    file += take_escaped(scanner);
  }
}

std::optional<LineMarker> line_marker(std::string_view line) {
  LineScanner scanner(line);
  if (!scanner.take("#line ") && !scanner.take("# ")) return std::nullopt;
  scanner.take_blanks();
  const std::string_view digits = scanner.take_digits();
  LineMarker marker;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), marker.line);
  scanner.take_blanks();
  if (read.ec != std::errc() || !scanner.take("\"")) return std::nullopt;
  marker.escaped = take_name(scanner);
  if (!scanner.take("\"")) return std::nullopt;
  marker.flags = scanner.rest();
  return marker;
}

}  // namespace assay::metal
