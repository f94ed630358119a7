#include "validation/shader/bind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <ranges>
#include <stdexcept>

#include "validation/shader/compiled.h"
#include "validation/shader/contents.h"
#include "validation/shader/scalar.h"

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
  for (const auto& [index, text] : pass.constants) {
    const auto type = types.find(index);
    if (type == types.end())
      throw std::invalid_argument(
          fmt::format("--constant {}={}: the shader has no such function constant", index, text));
    set_constant(constants, index, scalar_bytes(type->second, text));
  }
  return constants;
}

/// What a user writes to bind memory to an index.
std::string option(const ShaderScript& script, bool is_buffer) {
  if (script.is_command_line) return is_buffer ? "--buffer" : "--threadgroup-memory";
  return is_buffer ? "buffers" : "threadgroup_memory";
}

std::string label(const ShaderScript& script, const std::string& array) {
  return (script.is_command_line ? "--buffer " : "arrays.") + array;
}

/// Throws if memory is given that the kernel does not take, or the kernel takes memory that is not given.
void expect_bindings(const ShaderScript& script, const ShaderPass& pass, const metal::Function& function) {
  std::set<std::uint32_t> buffers, threadgroup;
  for (const Argument& argument : function.arguments()) {
    const bool is_buffer = argument.kind == Argument::Kind::buffer;
    if (argument.kind == Argument::Kind::position) continue;
    (is_buffer ? buffers : threadgroup).insert(argument.index);
    if (is_buffer ? pass.buffers.contains(argument.index) : pass.threadgroup.contains(argument.index)) continue;
    throw std::invalid_argument(fmt::format("{}: {}({}) {} {}: expected {} {}=...", function.name(),
                                            is_buffer ? "buffer" : "threadgroup", argument.index, argument.type,
                                            argument.name, option(script, is_buffer), argument.index));
  }
  const auto expect_taken = [&](const auto& given, const auto& taken, bool is_buffer) {
    for (const auto& [index, what] : given)
      if (!taken.contains(index))
        throw std::invalid_argument(
            fmt::format("{} {}: {} does not take it", option(script, is_buffer), index, function.name()));
  };
  expect_taken(pass.buffers, buffers, true);
  expect_taken(pass.threadgroup, threadgroup, false);
}

/// Refuses an array of other numbers than the argument's, unless the argument is bytes.
void expect_type(const ShaderScript& script, const std::string& name, const ShaderArray& array,
                 const Argument& argument) {
  const std::string scalar = element_of(argument).scalar;
  if (scalar_size(scalar) == 1 || numpy_name(scalar) == numpy_name(array.scalar)) return;
  throw std::invalid_argument(fmt::format("{} is {}: {} {} takes {}", label(script, name), array.summary(),
                                          argument.type, argument.name, numpy_name(scalar)));
}

/// Calls `visit` with each argument that is a buffer, and its binding.
template <class Visit>
void visit_bound(const ShaderScript& script, const ShaderFunctions& functions, const Visit& visit) {
  for (std::size_t n = 0; n < script.passes.size(); ++n)
    for (const Argument& argument : functions[n]->arguments())
      if (argument.kind == Argument::Kind::buffer) visit(argument, script.passes[n].buffers.at(argument.index));
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

/// Refuses an indirect dispatch whose counts no array holds.
void expect_counts(const ShaderPass& pass, const std::map<std::string, ShaderArray>& arrays) {
  constexpr std::uint64_t bytes = 3 * sizeof(std::uint32_t);
  if (!pass.threadgroups) return;
  const auto& [name, offset] = *pass.threadgroups;
  const auto array = arrays.find(name);
  if (array == arrays.end())
    throw std::invalid_argument(fmt::format("threadgroups of {}: array '{}': no pass takes it", pass.function, name));
  if (offset % sizeof(std::uint32_t) != 0 || offset + bytes > array->second.length())
    throw std::invalid_argument(
        fmt::format("threadgroups of {}: array '{}' has {} bytes, offset {}: expected three uint32 "
                    "at a multiple of 4",
                    pass.function, name, array->second.length(), offset));
}

}  // namespace

ShaderFunctions functions_of(const ShaderScript& script, metal::Library& library) {
  const bool has_constants =
      std::ranges::any_of(script.passes, [](const auto& pass) { return !pass.constants.empty(); });
  const auto types = has_constants ? constant_types(script) : std::map<std::uint32_t, std::string>{};
  ShaderFunctions functions;
  for (const ShaderPass& pass : script.passes) {
    auto function = library.new_function(pass.function, constants_of(pass, types));
    if (!function) throw std::invalid_argument(function.error().text);
    expect_bindings(script, pass, **function);
    functions.push_back(std::move(*function));
  }
  return functions;
}

std::map<std::string, ShaderArray> arrays_of(const ShaderScript& script, const ShaderFunctions& functions) {
  std::map<std::string, ShaderArray> arrays;
  visit_bound(script, functions, [&](const Argument& argument, const ShaderBinding& binding) {
    if (const auto known = arrays.find(binding.array); known != arrays.end())
      return expect_type(script, binding.array, known->second, argument);
    const auto words = script.arrays.find(binding.array);
    if (words == script.arrays.end())
      throw std::invalid_argument(fmt::format("array '{}': expected one of {}", binding.array,
                                              fmt::join(script.arrays | std::views::keys, ", ")));
    arrays[binding.array] = buffer_contents(argument, label(script, binding.array), words->second, script.seed);
  });
  add_resources(script, arrays);
  for (const auto& [name, words] : script.arrays)
    if (!arrays.contains(name)) throw std::invalid_argument(fmt::format("{}: no pass takes it", label(script, name)));
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
  visit_bound(script, functions, [&](const Argument& argument, const ShaderBinding& binding) {
    if (argument.is_written) names.insert(binding.array);
  });
  return names;
}

}  // namespace assay::validation
