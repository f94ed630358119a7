#include "metal/emulator/translate/passes.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::metal::emulator {

namespace {

std::string literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) result.append(c == '"' || c == '\\' ? "\\" : "").append(1, c);
  return result + "\"";
}

constexpr const char* space_name(abi::AddressSpace space) {
  switch (space) {
    case abi::AddressSpace::device:
      return "device";
    case abi::AddressSpace::constant:
      return "constant";
    case abi::AddressSpace::threadgroup:
      return "threadgroup";
    case abi::AddressSpace::none:
      break;
  }
  return "none";
}

/// The address of the storage of the function constant that the argument depends on.
std::string presence(const KernelParameter& parameter, const std::vector<ProgramConstant>& constants) {
  if (parameter.condition.empty()) return "nullptr";
  const std::size_t scope_end = parameter.condition.rfind(':');
  const std::string name = parameter.condition.substr(scope_end == std::string::npos ? 0 : scope_end + 1);
  const auto constant = std::ranges::find(constants, name, &ProgramConstant::name);
  // Without such a function constant, the name that is not declared becomes clang's error.
  return constant == constants.end() ? "&" + parameter.condition
                                     : fmt::format("&{}assay_storage_{}", constant->scope, name);
}

/// The C++ type of a parameter, or of a member of one.
std::string type_of(const KernelParameter& parameter, std::size_t id) {
  const std::string type = fmt::format("argument_type<assay_function_{}, {}>", id, parameter.number);
  return parameter.owner.empty() ? type : fmt::format("decltype({}::{})", type, parameter.name);
}

/// The rows of a parameter in the table of arguments: one, or one for each texture of an array.
std::string argument_rows(const Registered& shader, const KernelEntry& entry, const KernelParameter& p,
                          std::size_t id) {
  std::string rows;
  const std::string type = type_of(p, id);
  for (std::uint32_t n = 0; n < std::max(p.count, 1U); ++n)
    rows += fmt::format("  argument<{}>({}, {}, abi::ArgumentKind::{}, abi::AddressSpace::{}, {}, {}, {}, {}),\n",
                        p.count == 0 ? type : fmt::format("element_type<{}>", type),
                        literal(p.count == 0 ? p.name : fmt::format("{}[{}]", p.name, n)),
                        literal(substituted(p.type, entry.template_arguments)), kind_name(p.kind), space_name(p.space),
                        p.index + n, literal(p.element_type), literal(p.attribute), presence(p, shader.constants));
  return rows;
}

std::string arguments(const Registered& shader, const KernelEntry& entry, std::size_t id) {
  std::string text;
  for (const KernelParameter& p : shader.kernels.definition_of(entry).parameters)
    text += argument_rows(shader, entry, p, id);
  return fmt::format("static const abi::Argument assay_arguments_{}[] = {{\n{}  {{}}}};\n", id, text);
}

/// The function constants that the kernel needs, by their index.
std::string needed_constants_of(const Registered& shader, const KernelEntry& entry, std::size_t id) {
  std::string text;
  for (const std::size_t n : shader.needed[entry.definition])
    text += fmt::format("{}assay_index_{}, ", shader.constants[n].scope, shader.constants[n].name);
  return fmt::format("static const assay_u32 assay_needed_{}[] = {{{}0}};\n", id, text);
}

/// The member of the Invocation that a parameter is given.
std::string value(const KernelParameter& parameter) {
  if (parameter.kind == abi::ArgumentKind::buffer) return fmt::format("call->buffers[{}]", parameter.index);
  if (parameter.kind == abi::ArgumentKind::threadgroup) return fmt::format("call->threadgroup[{}]", parameter.index);
  if (parameter.kind == abi::ArgumentKind::texture) return fmt::format("&call->textures[{}]", parameter.index);
  if (parameter.kind == abi::ArgumentKind::sampler) return fmt::format("&call->samplers[{}]", parameter.index);
  const bool is_old_name = parameter.attribute == "thread_execution_width";
  return fmt::format("call->position->{}", is_old_name ? "threads_per_simdgroup" : parameter.attribute);
}

/// A function that calls the kernel with what an Invocation holds.
std::string entry(const KernelDefinition& kernel, const KernelEntry& entry, std::size_t id) {
  std::string values, separator;
  const std::vector<KernelParameter>& all = kernel.parameters;
  for (std::size_t n = 0; n < all.size(); ++n) {
    const bool is_first = n == 0 || all[n].number != all[n - 1].number;
    const bool is_last = n + 1 == all.size() || all[n].number != all[n + 1].number, is_member = !all[n].owner.empty();
    const std::string begin =
        is_member && is_first ? fmt::format("argument_type<assay_function_{}, {}>{{", id, all[n].number) : "";
    values += fmt::format("{}\n    {}given<{}>({}){}", separator, begin, type_of(all[n], id), value(all[n]),
                          is_member && is_last ? "}" : "");
    separator = ",";
  }
  return fmt::format(
      "static constexpr auto assay_function_{0} = {1};\n"
      "__attribute__((no_sanitize(\"thread\"))) static void assay_entry_{0}(const abi::Invocation* call) {{\n  "
      "assay_function_{0}({2});\n}}\n",
      id, entry.function, values);
}

std::size_t count_of_arguments(const KernelDefinition& kernel) {
  std::size_t count = 0;
  for (const KernelParameter& parameter : kernel.parameters) count += std::max(parameter.count, 1U);
  return count;
}

std::string function_row(const Registered& shader, const KernelEntry& entry, std::size_t id) {
  const KernelDefinition& kernel = shader.kernels.definitions[entry.definition];
  return fmt::format("  {{{}, \"{}\", {}, {}, assay_arguments_{}, {}, {}, &assay_entry_{}, assay_needed_{}, {}}},\n",
                     entry.host_name, entry.place.file, entry.place.line, entry.place.column, id,
                     count_of_arguments(kernel), entry.max_threads.empty() ? "0" : entry.max_threads, id, id,
                     shader.needed[entry.definition].size());
}

std::string constant_row(const ProgramConstant& constant) {
  const std::string& scope = constant.scope;
  return fmt::format("  constant({}, {}assay_index_{}, &{}assay_storage_{}, &{}assay_is_set_{}),\n",
                     literal(constant.name), scope, constant.name, scope, constant.name, scope, constant.name);
}

/// A cast in a function would be no constant, and a shader may have no variables that its start computes.
std::string visible_row(const std::string& name) {
  return fmt::format(
      "  {{{}, reinterpret_cast<const void*>(&{}), &::metal::assay_detail::function_type<decltype({})>}},\n",
      literal(name.substr(name.starts_with("::") ? 2 : 0)), name, name);
}

/// Statements that compute the constants that depend on function constants.
std::string computations(const std::vector<ProgramConstant>& constants) {
  std::string text;
  for (const ProgramConstant& constant : constants)
    if (constant.is_computed) text += fmt::format("  {}assay_compute_{}();\n", constant.scope, constant.name);
  return text;
}

}  // namespace

std::string registration(const Registered& shader) {
  const auto& [kernels, constants, needed, visible, sees_elements] = shader;
  std::string entries, functions, rows, visible_rows;
  for (std::size_t n = 0; n < kernels.entries.size(); ++n) {
    const KernelEntry& one = kernels.entries[n];
    entries += entry(kernels.definitions[one.definition], one, n) + arguments(shader, one, n) +
               needed_constants_of(shader, one, n);
    functions += function_row(shader, one, n);
  }
  for (const ProgramConstant& constant : constants)
    if (!constant.is_computed) rows += constant_row(constant);
  for (const std::string& name : visible) visible_rows += visible_row(name);
  const auto given = std::ranges::count(constants, false, &ProgramConstant::is_computed);
  return fmt::format(
      "\n# 1 \"registration\"\nnamespace assay_shader_side {{\n{}"
      "static const abi::Function assay_functions[] = {{\n{}  {{}}}};\n"
      "static const abi::Constant assay_constants[] = {{\n{}  {{}}}};\n"
      "static const abi::VisibleFunction assay_visible[] = {{\n{}  {{}}}};\n"
      "static void assay_constants_written() {{\n{}}}\n"
      "static const abi::Shader assay_shader_table = {{abi::version, assay_functions, {}, assay_constants, {}, "
      "is_checked,\n"
      "  &bind, &assay_constants_written, assay_visible, {}, &barrier_change}};\n}}\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) const assay_shader_side::abi::Shader* assay_shader() {{\n"
      "  return &assay_shader_side::assay_shader_table;\n}}\n",
      entries, functions, rows, visible_rows, computations(constants), kernels.entries.size(), given, visible.size());
}

std::string ptx_registration(const Registered& shader) {
  const auto& [kernels, constants, needed, visible, sees_elements] = shader;
  constexpr const char* kernel_of_gpu = "extern \"C\" __attribute__((nvptx_kernel)) void";
  std::string entries, settings;
  for (std::size_t n = 0; n < kernels.entries.size(); ++n) {
    const KernelEntry& one = kernels.entries[n];
    entries += entry(kernels.definitions[one.definition], one, n);
    entries += fmt::format("{} assay_launch_{}(abi::GpuCall call) {{\n  run<assay_entry_{}>(call);\n}}\n",
                           kernel_of_gpu, n, n);
  }
  std::size_t given = 0;
  for (const ProgramConstant& constant : constants)
    if (!constant.is_computed)
      settings += fmt::format("  set_constant({0}assay_storage_{1}, {0}assay_is_set_{1}, values[{2}]);\n",
                              constant.scope, constant.name, given++);
  return fmt::format(
      "\n# 1 \"registration\"\nnamespace assay_shader_side {{\nextern const bool sees_matrix_elements = {};\n{}"
      "{} assay_set_constants(const abi::GpuConstant* values) {{\n{}{}}}\n}}\n",
      sees_elements, entries, kernel_of_gpu, settings, computations(constants));
}

}  // namespace assay::metal::emulator
