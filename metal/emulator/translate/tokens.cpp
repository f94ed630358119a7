#include "metal/emulator/translate/passes.h"

#include <fmt/format.h>

namespace assay::metal::emulator {

namespace {

void translate_number(const Source& source, std::size_t n, Edits& edits) {
  if (is_unsuffixed_float(source[n].text)) return edits.replace(n, n + 1, std::string(source[n].text) + "f");
  const auto literal = half_literal(source[n].text);
  if (!literal) return;
  const bool is_floating =
      literal->number.find_first_of(is_hexadecimal(literal->number) ? ".pP" : ".eE") != std::string_view::npos;
  edits.replace(
      n, n + 1,
      fmt::format("(({}){}{})", literal->is_bfloat ? "bfloat" : "_Float16", literal->number, is_floating ? "l" : ""));
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

void translate_keyword(const Source& source, std::size_t n, Edits& edits) {
  const Token& token = source[n];
  if (token == "double") source.fail(n, "'double' is not supported in Metal");
  if (token == "is_function_constant_defined") translate_query(source, n, edits);
  if (token == "kernel") edits.erase(n, n + 1);
  // A block, since a constructor must not return the value of a call, even if it is void.
  if (token == "return" && source[n + 1] == ";") edits.replace(n, n + 2, "{ ::assay_shader_side::leave(); return; }");
  if (token == "static_cast") edits.replace(n, n + 1, "::assay_shader_side::cast");
  if (token == "coherent" && source[n + 1] == "(") edits.erase(n, source.match(n + 1) + 1);
  if (!source.is_address_space(n)) return;
  const bool is_constant = token == "constant" && !source.is_method_qualifier(n);
  edits.replace(n, n + 1, is_constant ? "const" : "");
}

}  // namespace

void translate_tokens(const Source& source, Edits& edits) {
  for (std::size_t n = 0; n < source.size(); ++n) {
    if (source.is_attribute(n)) {
      edits.erase(n, source.match(n) + 1);
      n = source.match(n);
    } else if (source[n].kind == TokenKind::number) {
      translate_number(source, n, edits);
    } else if (source.is_identifier(n)) {
      translate_keyword(source, n, edits);
    }
  }
}

}  // namespace assay::metal::emulator
