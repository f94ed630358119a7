#include "metal/emulator/translate/translate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "metal/emulator/translate/divergence.h"
#include "metal/emulator/translate/overloads.h"
#include "metal/emulator/translate/passes.h"

namespace assay::metal::emulator {

namespace {

/// The differences between a shader for the emulator and one for NVIDIA GPUs.
struct Target {
  const char* threadgroup_variable;
  std::string (*registration)(const Registered&);
  void (*mark)(const Source&, const Declarations&, Edits&);
  bool has_textures;
  const char* position;  ///< translate_program_positions()
};

constexpr const char* run_position =
    "::assay_shader_side::position_at<{0}, &::assay_shader_side::abi::Position::{1}>()";

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

/// Merges overloads by address space, or gives them names.
void translate_overloads(const Source& source, const Declarations& declarations, const OverloadChoices* choices,
                         Edits& edits) {
  const Overloads overloads(source, declarations);
  overloads.merge(edits);
  if (!overloads.have_names()) return;
  if (choices == nullptr) overloads.fail();
  overloads.rename(*choices, edits);
}

Result<std::string> translate_to(const Target& target, std::string_view whole, const KernelNames& wanted,
                                 const OverloadChoices* choices) try {
  const std::string text = without_unused(whole, wanted);
  const Source source(text);
  const std::vector<Declaration> declarations = find_declarations(source);
  refuse_host_words(source, declarations);
  refuse_lasting_variables(source, declarations);
  Edits edits(source.text(), source.tokens());
  translate_program_positions(source, declarations, target.position, edits);
  translate_tokens(source, edits);
  translate_overloads(source, declarations, choices, edits);
  translate_threadgroup(source, declarations, target.threadgroup_variable, edits);
  target.mark(source, declarations, edits);
  Registered shader;
  shader.constants = translate_constants(source, declarations, edits);
  shader.visible = visible_functions(source, declarations);
  shader.sees_matrix_elements = sees_matrix_elements(source);
  shader.kernels = translate_kernels(source, declarations, edits);
  for (const KernelEntry& entry : shader.kernels.entries)
    if (const auto& refusal = shader.kernels.definition_of(entry).refusal; !refusal.empty())
      throw TranslationError(refusal);
  refuse_resources_in_buffers(source, declarations, shader.kernels);
  if (!target.has_textures) refuse_textures(shader.kernels);
  shader.needed = needed_constants(source, declarations, shader.kernels, shader.constants);
  return edits.apply() + target.registration(shader);
} catch (const TranslationError& refusal) {
  return error(Error::Kind::compile, refusal.what());
}

}  // namespace

Result<std::string> translate(std::string_view preprocessed, const KernelNames& wanted,
                              const OverloadChoices* choices) {
  return translate_to(
      {run_threadgroup_variable, registration, [](const Source&, const Declarations&, Edits&) {}, true, run_position},
      with_clang_pragmas(preprocessed), wanted, choices);
}

Result<std::optional<std::string>> overload_probe(std::string_view preprocessed, const KernelNames& wanted) try {
  const std::string text = without_unused(with_clang_pragmas(preprocessed), wanted);
  const Source source(text);
  const std::vector<Declaration> declarations = find_declarations(source);
  const Overloads overloads(source, declarations);
  if (!overloads.have_names()) return std::nullopt;
  Edits edits(source.text(), source.tokens());
  translate_program_positions(source, declarations, "{0}()", edits);
  translate_address_spaces(source, declarations, overloads.qualifiers(), edits);
  translate_threadgroup(source, declarations, lint_threadgroup_variable, edits);
  overloads.mark(edits);
  return edits.apply();
} catch (const TranslationError& refusal) {
  return error(Error::Kind::compile, refusal.what());
}

Result<std::string> text_of_kernels(std::string_view preprocessed, const KernelNames& kernels) try {
  return without_unused(preprocessed, kernels);
} catch (const TranslationError& refusal) {
  return error(Error::Kind::compile, refusal.what());
}

Result<ShaderListing> list_kernels(std::string_view preprocessed) try {
  const std::string text = without_unused(with_clang_pragmas(preprocessed), {});
  const Source source(text);
  const std::vector<Declaration> declarations = find_declarations(source);
  Edits unused(source.text(), source.tokens());
  ShaderListing listing;
  for (ProgramConstant& constant : translate_constants(source, declarations, unused))
    if (!constant.is_computed) listing.constants.push_back({constant.index, constant.type, constant.name});
  const Kernels kernels = translate_kernels(source, declarations, unused);
  for (const KernelEntry& entry : kernels.entries) {
    const KernelDefinition& definition = kernels.definition_of(entry);
    ListedKernel kernel{literal_text(entry.host_name), entry.instantiation, entry.place.line, {}, definition.refusal};
    for (const KernelParameter& parameter : definition.parameters) {
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
  return translate_to({ptx_threadgroup_variable, ptx_registration, mark_divergent_operations, false, nullptr},
                      preprocessed, {}, nullptr);
}

Result<LintTranslation> translate_for_lint(std::string_view preprocessed) try {
  const std::string text = without_unused(with_clang_pragmas(preprocessed), {});
  const Source source(text);
  const std::vector<Declaration> declarations = find_declarations(source);
  Edits edits(source.text(), source.tokens());
  translate_program_positions(source, declarations, "{0}()", edits);
  translate_address_spaces(source, declarations, Overloads(source, declarations).qualifiers(), edits);
  translate_threadgroup(source, declarations, lint_threadgroup_variable, edits);
  const DivergentOperations divergent = find_divergent_operations(source, declarations);
  return LintTranslation{
      edits.apply(),
      fmt::format("{}{}{}", fmt::join(restrictions(source, declarations), ""),
                  fmt::join(unqualified_pointers(source, declarations), ""), fmt::join(divergent.errors, "")),
      fmt::format("{}{}", fmt::join(restriction_warnings(source, declarations), ""),
                  fmt::join(divergent.warnings, ""))};
} catch (const TranslationError& refusal) {
  return error(Error::Kind::compile, refusal.what());
}

}  // namespace assay::metal::emulator
