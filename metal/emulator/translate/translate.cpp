#include "metal/emulator/translate/translate.h"

#include <fmt/format.h>

#include <vector>

#include "metal/emulator/translate/divergence.h"
#include "metal/emulator/translate/passes.h"

namespace assay::metal::emulator {

namespace {

/// What differs between a shader for the emulator and one for NVIDIA GPUs.
struct Target {
  const char* threadgroup_variable;
  std::string (*registration)(const Kernels&, const std::vector<ProgramConstant>&);
  void (*mark)(const Source&, const Declarations&, Edits&);
};

Result<std::string> translate_to(const Target& target, std::string_view text) try {
  const Source source(text);
  const std::vector<Declaration> declarations = find_declarations(source);
  Edits edits(source.text(), source.tokens());
  translate_tokens(source, edits);
  merge_overloads(source, declarations, edits);
  translate_threadgroup(source, declarations, target.threadgroup_variable, edits);
  target.mark(source, declarations, edits);
  const auto constants = translate_constants(source, declarations, edits);
  const Kernels kernels = translate_kernels(source, declarations, edits);
  return edits.apply() + target.registration(kernels, constants);
} catch (const TranslationError& refusal) {
  return error(Error::Kind::compile, refusal.what());
}

}  // namespace

Result<std::string> translate(std::string_view preprocessed) {
  return translate_to({run_threadgroup_variable, registration, [](const Source&, const Declarations&, Edits&) {}},
                      without_loop_pragmas(preprocessed));
}

Result<std::string> translate_for_ptx(std::string_view preprocessed) {
  return translate_to({ptx_threadgroup_variable, ptx_registration, mark_divergent_operations}, preprocessed);
}

Result<LintTranslation> translate_for_lint(std::string_view preprocessed) try {
  const std::string without_pragmas = without_loop_pragmas(preprocessed);
  const Source source(without_pragmas);
  const std::vector<Declaration> declarations = find_declarations(source);
  Edits edits(source.text(), source.tokens());
  translate_address_spaces(source, declarations, edits);
  translate_threadgroup(source, declarations, lint_threadgroup_variable, edits);
  const DivergentOperations divergent = find_divergent_operations(source, declarations);
  return LintTranslation{
      edits.apply(),
      fmt::format("{}{}", fmt::join(unqualified_pointers(source, declarations), ""), fmt::join(divergent.errors, "")),
      fmt::format("{}", fmt::join(divergent.warnings, ""))};
} catch (const TranslationError& refusal) {
  return error(Error::Kind::compile, refusal.what());
}

}  // namespace assay::metal::emulator
