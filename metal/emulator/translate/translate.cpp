#include "metal/emulator/translate/translate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "metal/emulator/translate/divergence.h"
#include "metal/emulator/translate/passes.h"

namespace assay::metal::emulator {

namespace {

/// The differences between a shader for the emulator and one for NVIDIA GPUs.
struct Target {
  const char* threadgroup_variable;
  std::string (*registration)(const Registered&);
  void (*mark)(const Source&, const Declarations&, Edits&);
  bool has_textures;
};

/// Refuses kernels that take textures or samplers, for a target that has none.
void refuse_textures(const Kernels& kernels) {
  for (const KernelDefinition& kernel : kernels.definitions)
    for (const KernelParameter& parameter : kernel.parameters)
      if (parameter.kind == abi::ArgumentKind::texture || parameter.kind == abi::ArgumentKind::sampler ||
          parameter.is_function_table)
        throw TranslationError(
            fmt::format("{}: error: kernel '{}' takes {} '{}', and NVIDIA GPUs run no kernel with "
                        "textures, samplers or tables of functions here\n",
                        to_string(kernel.place), kernel.name, kind_name(parameter.kind), parameter.name));
}

Result<std::string> translate_to(const Target& target, std::string_view text, std::string_view wanted) try {
  const Source source(text);
  const std::vector<Declaration> declarations = find_declarations(source);
  refuse_host_words(source, declarations);
  refuse_lasting_variables(source, declarations);
  Edits edits(source.text(), source.tokens());
  translate_tokens(source, edits);
  merge_overloads(source, declarations, edits);
  translate_threadgroup(source, declarations, target.threadgroup_variable, edits);
  target.mark(source, declarations, edits);
  Registered shader;
  shader.constants = translate_constants(source, declarations, edits);
  shader.visible = visible_functions(source, declarations);
  shader.kernels = translate_kernels(source, declarations, wanted, edits);
  refuse_resources_in_buffers(source, declarations, shader.kernels);
  if (!target.has_textures) refuse_textures(shader.kernels);
  shader.needed = needed_constants(source, declarations, shader.kernels, shader.constants);
  return edits.apply() + target.registration(shader);
} catch (const TranslationError& refusal) {
  return error(Error::Kind::compile, refusal.what());
}

}  // namespace

Result<std::string> translate(std::string_view preprocessed, std::string_view wanted) {
  return translate_to({run_threadgroup_variable, registration, [](const Source&, const Declarations&, Edits&) {}, true},
                      with_clang_pragmas(preprocessed), wanted);
}

Result<ShaderListing> list_kernels(std::string_view preprocessed) try {
  const std::string text = with_clang_pragmas(preprocessed);
  const Source source(text);
  const std::vector<Declaration> declarations = find_declarations(source);
  Edits unused(source.text(), source.tokens());
  ShaderListing listing;
  for (ProgramConstant& constant : translate_constants(source, declarations, unused))
    if (!constant.is_computed) listing.constants.push_back({constant.index, constant.type, constant.name});
  const Kernels kernels = translate_kernels(source, declarations, {}, unused);
  for (const KernelEntry& entry : kernels.entries) {
    ListedKernel kernel{literal_text(entry.host_name), entry.instantiation, entry.place.line, {}};
    for (const KernelParameter& parameter : kernels.definitions[entry.definition].parameters) {
      const bool is_position = parameter.kind == abi::ArgumentKind::position;
      kernel.arguments.push_back(
          {is_position ? parameter.attribute : fmt::format("{}({})", kind_name(parameter.kind), parameter.index),
           parameter.name, substituted(parameter.type, entry.template_arguments), parameter.condition});
    }
    listing.kernels.push_back(std::move(kernel));
  }
  return listing;
} catch (const TranslationError& refusal) {
  return error(Error::Kind::compile, refusal.what());
}

Result<std::string> translate_for_ptx(std::string_view preprocessed) {
  return translate_to({ptx_threadgroup_variable, ptx_registration, mark_divergent_operations, false}, preprocessed, {});
}

Result<LintTranslation> translate_for_lint(std::string_view preprocessed) try {
  const std::string without_pragmas = with_clang_pragmas(preprocessed);
  const Source source(without_pragmas);
  const std::vector<Declaration> declarations = find_declarations(source);
  Edits edits(source.text(), source.tokens());
  translate_address_spaces(source, declarations, edits);
  translate_threadgroup(source, declarations, lint_threadgroup_variable, edits);
  const DivergentOperations divergent = find_divergent_operations(source, declarations);
  return LintTranslation{
      edits.apply(),
      fmt::format("{}{}{}", fmt::join(restrictions(source, declarations), ""),
                  fmt::join(unqualified_pointers(source, declarations), ""), fmt::join(divergent.errors, "")),
      fmt::format("{}", fmt::join(divergent.warnings, ""))};
} catch (const TranslationError& refusal) {
  return error(Error::Kind::compile, refusal.what());
}

}  // namespace assay::metal::emulator
