#include <algorithm>
#include <array>

#include "metal/device/line_marker.h"
#include "metal/device/line_scanner.h"
#include "metal/emulator/translate/passes.h"

namespace assay::metal::emulator {

namespace {

/// Whether the line is "#pragma METAL fp option(value)".
bool is_fp_pragma(std::string_view line, std::string_view option, std::string_view value) {
  for (const std::string_view word : {std::string_view("#pragma"), std::string_view("METAL"), std::string_view("fp"),
                                      option, std::string_view("("), value, std::string_view(")")}) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(word)) return false;
    line.remove_prefix(word.size());
  }
  return true;
}

/// What follows "#pragma " in the line; empty if that is no pragma.
std::string_view after_pragma(std::string_view line) {
  std::optional<LineScanner> scanner = after_directive(line, "pragma");
  if (!scanner) return {};
  scanner->take_blanks();
  return scanner->rest();
}

constexpr std::string_view safe = "#pragma float_control(precise, on)\n";

/// The text with replaced(line) in place of each line, its end included.
template <class Replaced>
std::string with_lines(std::string_view text, const Replaced& replaced) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    result.append(replaced(text.substr(begin, end - begin)));
    begin = end;
  }
  return result;
}

}  // namespace

std::string with_clang_pragmas(std::string_view text) {
  static constexpr std::array<std::string_view, 8> kept = {
      "assay ", "clang fp ", "clang diagnostic ", "GCC diagnostic ", "STDC ", "METAL ", "float_control", "pack"};
  bool is_own = true;
  return with_lines(text, [&](std::string_view line) -> std::string_view {
    if (const auto marker = line_marker(line)) is_own = !marker->is_of_system_header();
    const std::string_view rest = after_pragma(line);
    if (!is_own || rest.empty()) return line;
    if (is_fp_pragma(line, "contract", "off")) return "#pragma clang fp contract(off)\n";
    return std::ranges::any_of(kept, [&](std::string_view word) { return rest.starts_with(word); }) ? line : "\n";
  });
}

bool is_safe(std::string_view text) {
  return text.starts_with(safe);
}

std::string with_safe_sections(std::string_view text) {
  bool is_own = false, is_before_functions = true, is_whole = false;
  std::string sections = with_lines(text, [&](std::string_view line) -> std::string_view {
    if (const auto marker = line_marker(line)) is_own = !marker->is_of_system_header();
    if (is_own && line.find('{') != std::string_view::npos) is_before_functions = false;
    if (!is_fp_pragma(line, "math_mode", "safe")) return line;
    is_whole = is_whole || is_before_functions;
    return safe;
  });
  return is_whole ? std::string(safe) + sections : sections;
}

}  // namespace assay::metal::emulator
