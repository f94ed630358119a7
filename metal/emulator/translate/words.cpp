#include "metal/emulator/translate/words.h"

#include <fmt/format.h>

namespace assay::metal::emulator {

namespace {

void translate_number(const Source& source, std::size_t n, Edits& edits) {
  const std::string_view text = source[n].text;
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const auto cast = [&](std::string_view suffix, std::string_view type) {
    const std::string_view number = text.substr(0, text.size() - suffix.size());
    const bool is_floating = number.find_first_of(is_hexadecimal ? ".pP" : ".eE") != std::string_view::npos;
    edits.replace(n, n + 1, fmt::format("(({}){}{})", type, number, is_floating ? "l" : ""));
  };
  if (text.ends_with("bf") || text.ends_with("BF")) {
    if (!is_hexadecimal || text.find_first_of("pP") != std::string_view::npos) cast("bf", "bfloat");
  } else if (text.ends_with('h') || text.ends_with('H')) {
    cast("h", "_Float16");
  }
}

/// is_function_constant_defined(scope::name)
void translate_query(const Source& source, std::size_t n, Edits& edits) {
  const std::size_t open = n + 1;
  if (source[open] != "(" || source.match(open) == open + 1)
    source.fail(n, "is_function_constant_defined needs a name");
  const std::size_t close = source.match(open);
  edits.replace(n, close + 1,
                fmt::format("({}assay_is_set_{})", source.join(open + 1, close - 1), source[close - 1].text));
}

void translate_word(const Source& source, std::size_t n, Edits& edits) {
  const Token& token = source[n];
  if (token == "double") source.fail(n, "'double' is not supported in Metal");
  if (token == "is_function_constant_defined") translate_query(source, n, edits);
  if (token == "kernel") edits.erase(n, n + 1);
  if (token == "static_cast") edits.replace(n, n + 1, "::assay_shader_side::cast");
  if (token == "coherent" && source[n + 1] == "(") edits.erase(n, source.match(n + 1) + 1);
  if (!source.is_address_space(n)) return;
  const bool is_constant = token == "constant" && !source.is_method_qualifier(n);
  edits.replace(n, n + 1, is_constant ? "const" : "");
}

}  // namespace

void translate_words(const Source& source, Edits& edits) {
  for (std::size_t n = 0; n < source.size(); ++n) {
    if (source.is_attribute(n)) {
      edits.erase(n, source.match(n) + 1);
      n = source.match(n);
    } else if (source[n].kind == TokenKind::number) {
      translate_number(source, n, edits);
    } else if (source.is_word(n)) {
      translate_word(source, n, edits);
    }
  }
}

}  // namespace assay::metal::emulator
