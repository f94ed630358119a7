#include "validation/core/printable.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace assay::validation {
namespace {

struct Character {
  std::size_t bytes = 0;  ///< 0: the text does not begin with a character in UTF-8
  char32_t code = 0;
};

unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// The first character. Refuses surrogates, codes past U+10FFFF and codes in more bytes than they need.
Character first_character(std::string_view text) {
  const unsigned char lead = byte_at(text, 0);
  if (lead < 0x80) return {1, lead};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte_at(text, i) & 0x3F);
  }
  const bool is_too_long = bytes == 3 ? code < 0x800 : bytes == 4 && code < 0x10000;
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return is_too_long || is_surrogate || code > 0x10FFFF ? Character{} : Character{bytes, code};
}

bool is_control(char32_t code) {
  if (code < 0x20) return code != '\n' && code != '\t';
  if (code < 0xA0) return code >= 0x7F;
  const bool reverses = code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
                        (code >= 0x2066 && code <= 0x2069) || code == 0x061C;
  const bool ends_line = code == 0x2028 || code == 0x2029;
  return reverses || ends_line || (code & 0xFFFE) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF);
}

/// The text in which no runner of CI finds a command: a line that begins with "::" behind white space of any kind, or
/// "##[" (both GitHub's), "##vso[" (Azure's) or "##teamcity[" in any place.
std::string without_commands(std::string text) {
  for (auto at = text.find("##"); at != std::string::npos; at = text.find("##", at + 1))
    if (text.find('[', at) < text.find_first_of(" \n", at)) text.insert(at + 2, " ");
  for (std::size_t line = 0; line < text.size(); line = std::min(text.find('\n', line), text.size()) + 1) {
    std::size_t begin = line;  // of the first word, as some white space is outside of ASCII
    while (begin < text.size() && text[begin] != '\n' && (text[begin] <= ' ' || text[begin] > '~')) ++begin;
    if (text.compare(begin, 2, "::") == 0) text.insert(begin + 1, " ");
  }
  return text;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [bytes, code] = first_character(text);
    if (bytes == 0 || is_control(code))
      out += '?';
    else
      out += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return without_commands(std::move(out));
}

std::string printable_line(std::string_view text) {
  std::string line = printable(text);
  std::ranges::replace(line, '\n', '?');
  std::ranges::replace(line, '\t', '?');
  return line;
}

}  // namespace assay::validation
