#include "metal/emulator/translate/passes.h"

#include <algorithm>
#include <array>
#include <string>

namespace assay::metal::emulator {

namespace {

/// OpenCL's keywords that are ordinary identifiers in Metal.
constexpr std::array<std::string_view, 7> keywords = {"local",     "global",     "generic",   "pipe",
                                                      "read_only", "write_only", "read_write"};

const char* spelling_of_method(const Token& token) {
  return token == "device" ? "__global" : token == "threadgroup" ? "__local" : "__private";
}

const char* spelling(const Token& token) {
  if (token == "device") return "__attribute__((opencl_global_device))";
  if (token == "constant") return "const __attribute__((opencl_global_host))";
  return token == "threadgroup" ? "__local" : "__private";
}

/// Marks `constant` of variables at program scope: OpenCL puts these into global memory, and allows no part of it.
std::vector<bool> program_constants(const Source& source, const std::vector<Declaration>& declarations) {
  std::vector<bool> found(source.size() + 1, false);
  for (const Declaration& declaration : declarations) {
    // `constant float3 up(0, 1, 0);` looks like a function.
    const bool may_be_variable = declaration.kind == DeclarationKind::function && declaration.body == no_token;
    if (declaration.kind != DeclarationKind::variable && !may_be_variable) continue;
    const std::size_t end = source.type_end(declaration.specifiers, declaration.last);
    if (source[end] == "*" || source[end] == "&") continue;
    for (std::size_t n = declaration.specifiers; n < end; ++n) found[n] = source[n] == "constant";
  }
  return found;
}

void suffix_number(const Source& source, std::size_t n, Edits& edits) {
  if (is_unsuffixed_float(source[n].text)) edits.replace(n, n + 1, std::string(source[n].text) + "f");
  if (const auto literal = half_literal(source[n].text))
    edits.replace(n, n + 1, std::string(literal->is_bfloat ? "((bfloat)" : "((half)").append(literal->number) + ")");
}

}  // namespace

void translate_address_spaces(const Source& source, const std::vector<Declaration>& declarations,
                              const std::set<std::size_t>& kept, Edits& edits) {
  const std::vector<bool> at_program_scope = program_constants(source, declarations);
  for (std::size_t n = 0; n < source.size(); ++n) {
    const Token& token = source[n];
    if (source.is_attribute(n)) {
      edits.erase(n, source.match(n) + 1);
      n = source.match(n);
    } else if (token.kind == TokenKind::number) {
      suffix_number(source, n, edits);
    } else if (source.is_address_space(n)) {
      const std::string text = at_program_scope[n] ? "const" : spelling(token);
      const bool is_of_method = source.is_method_qualifier(n);
      edits.replace(n, n + 1, !is_of_method ? text : kept.contains(n) ? spelling_of_method(token) : "");
    } else if (token == "kernel") {
      edits.erase(n, n + 1);
    } else if (token == "coherent" && source[n + 1] == "(") {
      edits.erase(n, source.match(n + 1) + 1);
    } else if (token == "is_function_constant_defined" && source[n + 1] == "(") {
      edits.replace(n, source.match(n + 1) + 1, "(true)");
    } else if (std::ranges::find(keywords, token.text) != keywords.end()) {
      edits.replace(n, n + 1, std::string(token.text) + "_");
    }
  }
}

}  // namespace assay::metal::emulator
