#include "validation/shader/listing.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "metal/emulator/translate/kernels.h"
#include "validation/core/json_text.h"
#include "validation/shader/compiled.h"
#include "validation/shader/or_refuse.h"

namespace assay::validation {

namespace {

using nlohmann::ordered_json;
namespace abi = metal::emulator::abi;

std::span<const abi::Function> functions(const abi::Shader& shader) {
  return {shader.functions, shader.function_count};
}

std::span<const abi::Constant> constants(const abi::Shader& shader) {
  return {shader.constants, shader.constant_count};
}

std::span<const abi::Argument> arguments(const abi::Function& function) {
  return {function.arguments, function.argument_count};
}

ordered_json as_json(const abi::Argument& argument) {
  return {{"name", argument.name},
          {"type", argument.type},
          {"kind", metal::emulator::kind_name(argument.kind)},
          {"index", argument.index},
          {"element_type", argument.element_type},
          {"element_size", argument.element_size},
          {"is_written", argument.is_written != 0},
          {"is_reference", argument.is_reference != 0},
          {"is_conditional", argument.is_present != nullptr},
          {"attribute", argument.attribute}};
}

}  // namespace

std::string list_shader(const ShaderScript& script) {
  const auto listing = or_refuse(metal::emulator::list_file(script.source, compile_options(script)));
  std::string text;
  for (const auto& kernel : listing.kernels) {
    const bool is_named_apart = !kernel.instantiation.empty() && kernel.instantiation != kernel.name;
    text += fmt::format("kernel {}{}{}\n", kernel.name, is_named_apart ? " = " : "",
                        is_named_apart ? kernel.instantiation : "");
    if (!kernel.refusal.empty()) text += "  refused: " + kernel.refusal;
    for (const auto& argument : kernel.arguments)
      text += fmt::format("  {:<32} {:<16} {}{}\n", argument.place, argument.name, argument.type,
                          argument.condition.empty() ? "" : ", if " + argument.condition);
  }
  for (const auto& constant : listing.constants)
    text += fmt::format("function_constant({}) {} {}\n", constant.index, constant.type, constant.name);
  return text;
}

std::string list_shader_as_json(const ShaderScript& script) {
  const auto shader = compile_script(script);
  ordered_json all = {{"kernels", ordered_json::array()}, {"function_constants", ordered_json::array()}};
  for (const auto& function : functions(shader->shader())) {
    ordered_json kernel = {{"name", function.name}, {"arguments", ordered_json::array()}};
    for (const auto& argument : arguments(function)) kernel["arguments"].push_back(as_json(argument));
    all["kernels"].push_back(std::move(kernel));
  }
  for (const auto& constant : constants(shader->shader()))
    all["function_constants"].push_back({{"index", constant.index}, {"name", constant.name}, {"type", constant.type}});
  return json_text(all, 2) + "\n";
}

}  // namespace assay::validation
