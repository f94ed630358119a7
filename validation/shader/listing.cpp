#include "validation/shader/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "metal/emulator/translate/kernels.h"
#include "validation/core/json_text.h"
#include "validation/core/parse.h"
#include "validation/shader/compiled.h"
#include "validation/shader/or_refuse.h"
#include "validation/shader/scalar.h"

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

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// "half" of "device const half*".
std::string element_of(const std::string& type) {
  const std::string element = type.substr(0, type.find_last_not_of(" *&") + 1);
  return element.substr(element.find_last_of(' ') + 1);
}

/// "random:256" for an array that is read, "256" for an integer; zeros for what may be written, and for a struct.
std::string buffer_to_begin_with(const std::string& type) {
  const std::string element = element_of(type);
  const MetalScalar* scalar = scalar_of_element(element);
  const bool is_one = type.ends_with('&');
  if (is_one && scalar != nullptr && scalar == find_scalar(element) && !scalar->is_floating && scalar->highest >= 256)
    return "256";
  const bool is_read = scalar != nullptr && has(type, "const");
  return fmt::format("{}:{}", is_read ? "random" : "zero", is_one ? 1 : 256);
}

std::string texture_to_begin_with(const std::string& type) {
  const std::string shape = has(type, "1d") || has(type, "buffer") ? "16" : has(type, "3d") ? "16x16x16" : "16x16";
  return (has(type, "write") ? "zero:" : "random:") + shape;
}

/// " --buffer 0=random:256"; empty for a position.
std::string option_for(const metal::emulator::ListedArgument& argument) {
  const auto open = argument.place.find('(');
  if (open == std::string::npos) return "";
  const std::string kind = argument.place.substr(0, open),
                    index = argument.place.substr(open + 1, argument.place.size() - open - 2);
  if (kind == "threadgroup") return fmt::format(" --threadgroup-memory {}=4096", index);
  return fmt::format(" --{} {}={}", kind, index,
                     kind == "buffer"    ? buffer_to_begin_with(argument.type)
                     : kind == "texture" ? texture_to_begin_with(argument.type)
                                         : "linear");
}

}  // namespace

std::string command_to_check(const ShaderScript& script) {
  const auto listing = or_refuse(metal::emulator::list_file(script.source, compile_options(script)));
  const std::string& wanted = script.passes.at(0).function;
  const auto kernel = std::ranges::find_if(
      listing.kernels, [&](const auto& one) { return one.refusal.empty() && (wanted.empty() || one.name == wanted); });
  if (kernel == listing.kernels.end()) return "";
  std::string command = "./assay metal check " + script.source.string();
  if (listing.kernels.size() > 1) command += " --kernel " + kernel->name;
  command += " --grid 256 --group 64";
  for (const auto& argument : kernel->arguments) command += option_for(argument);
  for (const auto& constant : listing.constants)
    if (parse_number<std::uint32_t>(constant.index))  // not an expression of the shader, which a command cannot have
      command += fmt::format(" --constant {}={}", constant.index, constant.type == "bool" ? "true" : "1");
  return command;
}

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
