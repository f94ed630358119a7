#include "validation/shader/bind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <ranges>
#include <stdexcept>

#include "validation/shader/compiled.h"
#include "validation/shader/contents.h"
#include "validation/shader/fit.h"
#include "validation/shader/or_refuse.h"
#include "validation/shader/texture.h"

namespace assay::validation {

namespace {

using metal::Argument;
using metal::FunctionConstants;

template <class T>
void set_constant(FunctionConstants& constants, std::uint32_t index, const std::vector<std::byte>& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof(T));
  constants.set(index, value);
}

void set_constant(FunctionConstants& constants, std::uint32_t index, const std::vector<std::byte>& bytes) {
  if (bytes.size() == 1) return set_constant<std::uint8_t>(constants, index, bytes);
  if (bytes.size() == 2) return set_constant<std::uint16_t>(constants, index, bytes);
  if (bytes.size() == 4) return set_constant<std::uint32_t>(constants, index, bytes);
  set_constant<std::uint64_t>(constants, index, bytes);
}

/// The types of the source's function constants, by index: the emulator's compiler knows them on every machine.
std::map<std::uint32_t, std::string> constant_types(const ShaderScript& script) {
  const auto compiled = compile_script(script);
  std::map<std::uint32_t, std::string> types;
  const auto& shader = compiled->shader();
  for (const auto& constant : std::span(shader.constants, shader.constant_count)) types[constant.index] = constant.type;
  return types;
}

FunctionConstants constants_of(const ShaderPass& pass, const std::map<std::uint32_t, std::string>& types) {
  FunctionConstants constants;
  for (const auto& [index, value] : pass.constants) {
    const auto type = types.find(index);
    if (value.type.empty() && type == types.end())
      throw std::invalid_argument(
          fmt::format("--constant {}={}: the shader has no such function constant", index, value.text));
    set_constant(constants, index, scalar_bytes(value.type.empty() ? type->second : value.type, value.text));
  }
  return constants;
}

/// Calls `visit` with each pass, an argument of it that is a buffer or a texture, and the argument's array.
template <class Visit>
void visit_bound(const ShaderScript& script, const ShaderFunctions& functions, const Visit& visit) {
  for (std::size_t n = 0; n < script.passes.size(); ++n)
    for (const Argument& argument : functions[n]->arguments()) {
      const ShaderPass& pass = script.passes[n];
      if (argument.kind == Argument::Kind::texture) visit(pass, argument, pass.textures.at(argument.index));
      if (argument.kind != Argument::Kind::buffer) continue;
      if (const auto& array = pass.buffers.at(argument.index).array; !array.empty()) visit(pass, argument, array);
    }
}

/// Adds the arrays whose addresses other arrays hold.
void add_resources(const ShaderScript& script, std::map<std::string, ShaderArray>& arrays) {
  std::map<std::string, ShaderArray> resources;
  for (const auto& [name, array] : arrays)
    for (const std::string& resource : array.addresses_of) {
      const auto words = script.arrays.find(resource);
      if (words == script.arrays.end())
        throw std::invalid_argument(fmt::format("{}=buffers:...: there is no array '{}', expected one of {}",
                                                label(script, name), resource,
                                                fmt::join(script.arrays | std::views::keys, ", ")));
      if (!arrays.contains(resource) && !resources.contains(resource))
        resources[resource] = resource_contents("array " + resource, words->second, script.seed);
    }
  arrays.merge(resources);
}

/// Adds the arrays that only say how many threadgroups a pass has: of uint32, as Metal reads them.
void add_counts(const ShaderScript& script, std::map<std::string, ShaderArray>& arrays) {
  Argument counts;
  counts.name = "threadgroups";
  counts.type = counts.element_type = "uint";
  counts.element_size = counts.element_alignment = sizeof(std::uint32_t);
  for (const ShaderPass& pass : script.passes) {
    if (!pass.threadgroups || arrays.contains(pass.threadgroups->array)) continue;
    const auto words = script.arrays.find(pass.threadgroups->array);
    if (words == script.arrays.end()) continue;
    arrays[words->first] = buffer_contents(counts, label(script, words->first), words->second, script.seed);
  }
}

/// Refuses an indirect dispatch whose array with the counts does not exist.
void expect_counts(const ShaderPass& pass, const std::map<std::string, ShaderArray>& arrays) {
  constexpr std::uint64_t bytes = 3 * sizeof(std::uint32_t);
  if (!pass.threadgroups) return;
  const auto& [name, offset, values] = *pass.threadgroups;
  const auto array = arrays.find(name);
  if (array == arrays.end())
    throw std::invalid_argument(fmt::format("threadgroups of {}: array '{}': expected one of {}", pass.function, name,
                                            fmt::join(arrays | std::views::keys, ", ")));
  if (offset % sizeof(std::uint32_t) != 0 || offset + bytes > array->second.length())
    throw std::invalid_argument(
        fmt::format("threadgroups of {}: array '{}' has {} bytes, offset {}: expected three uint32 "
                    "at a multiple of 4",
                    pass.function, name, array->second.length(), offset));
}

}  // namespace

ShaderFunctions functions_of(const ShaderScript& script, metal::Library& library) {
  const bool has_untyped = std::ranges::any_of(script.passes, [](const ShaderPass& pass) {
    return std::ranges::any_of(pass.constants | std::views::values, &std::string::empty, &ShaderValue::type);
  });
  const auto types = has_untyped ? constant_types(script) : std::map<std::uint32_t, std::string>{};
  std::map<std::pair<std::string, std::map<std::uint32_t, ShaderValue>>, ShaderFunctions::value_type> made;
  ShaderFunctions functions;
  for (const ShaderPass& pass : script.passes) {
    auto& function = made[{pass.function, pass.constants}];
    if (!function) function = or_refuse(library.new_function(pass.function, constants_of(pass, types)));
    expect_bindings(script, pass, *function);
    functions.push_back(function);
  }
  return functions;
}

std::map<std::string, ShaderArray> arrays_of(ShaderScript& script, const ShaderFunctions& functions) {
  std::map<std::string, ShaderArray> arrays = std::move(script.given);
  visit_bound(script, functions, [&](const ShaderPass& pass, const Argument& argument, const std::string& name) {
    if (const auto known = arrays.find(name); known != arrays.end())
      return expect_type(script, pass, name, known->second, argument);
    const auto words = script.arrays.find(name);
    if (words == script.arrays.end())
      throw std::invalid_argument(
          fmt::format("array '{}': expected one of {}", name, fmt::join(script.arrays | std::views::keys, ", ")));
    arrays[name] = buffer_contents(argument, label(script, name), words->second, script.seed);
  });
  add_resources(script, arrays);
  add_counts(script, arrays);
  for (const auto& [name, words] : script.arrays)
    if (!arrays.contains(name)) throw std::invalid_argument(fmt::format("{}: no pass takes it", label(script, name)));
  visit_bound(script, functions, [&](const ShaderPass&, const Argument& argument, const std::string& name) {
    if (argument.kind == Argument::Kind::texture) (void)texture_of(argument, label(script, name), arrays.at(name));
  });
  for (const ShaderPass& pass : script.passes) expect_counts(pass, arrays);
  for (const auto& [name, file] : script.outputs)
    if (!arrays.contains(name))
      throw std::invalid_argument(fmt::format("output {}={}: expected one of {}", name, file.string(),
                                              fmt::join(arrays | std::views::keys, ", ")));
  return arrays;
}

std::set<std::string> written_arrays(const ShaderScript& script, const ShaderFunctions& functions,
                                     const std::map<std::string, ShaderArray>& arrays) {
  std::set<std::string> names;
  for (const auto& [name, array] : arrays) names.insert(array.addresses_of.begin(), array.addresses_of.end());
  visit_bound(script, functions, [&](const ShaderPass&, const Argument& argument, const std::string& name) {
    if (argument.is_written) names.insert(name);
  });
  return names;
}

}  // namespace assay::validation
