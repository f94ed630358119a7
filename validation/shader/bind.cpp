#include "validation/shader/bind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <ranges>
#include <stdexcept>

#include "validation/shader/compiled.h"
#include "validation/shader/contents.h"
#include "validation/shader/or_refuse.h"
#include "validation/shader/scalar.h"
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
  for (const auto& [index, text] : pass.constants) {
    const auto type = types.find(index);
    if (type == types.end())
      throw std::invalid_argument(
          fmt::format("--constant {}={}: the shader has no such function constant", index, text));
    set_constant(constants, index, scalar_bytes(type->second, text));
  }
  return constants;
}

/// The option or key by which a user binds something to an index.
std::string option(const ShaderScript& script, Argument::Kind kind) {
  const bool is_memory = kind == Argument::Kind::threadgroup_memory;
  if (!script.is_command_line) return is_memory ? "threadgroup_memory" : fmt::format("{}s", attribute_of(kind));
  return is_memory ? "--threadgroup-memory" : fmt::format("--{}", attribute_of(kind));
}

/// On the command line, `--texture 0` makes the array "texture0".
std::string label(const ShaderScript& script, const std::string& array) {
  if (!script.is_command_line) return "arrays." + array;
  return array.starts_with(texture_prefix) ? "--texture " + array.substr(texture_prefix.size()) : "--buffer " + array;
}

template <class Map>
std::set<std::uint32_t> keys(const Map& map) {
  const auto all = map | std::views::keys;
  return {all.begin(), all.end()};
}

/// The indices of this kind at which a pass binds something.
std::set<std::uint32_t> bound_indices(const ShaderPass& pass, Argument::Kind kind) {
  switch (kind) {
    case Argument::Kind::buffer:
      return keys(pass.buffers);
    case Argument::Kind::threadgroup_memory:
      return keys(pass.threadgroup);
    case Argument::Kind::texture:
      return keys(pass.textures);
    case Argument::Kind::sampler:
      return keys(pass.samplers);
    case Argument::Kind::position:
      break;
  }
  return {};
}

/// Throws if the pass binds an index that the kernel does not take, or leaves out an index that the kernel takes.
void expect_bindings(const ShaderScript& script, const ShaderPass& pass, const metal::Function& function) {
  using enum Argument::Kind;
  for (const Argument::Kind kind : {buffer, threadgroup_memory, texture, sampler}) {
    std::set<std::uint32_t> given = bound_indices(pass, kind);
    for (const Argument& argument : function.arguments()) {
      if (argument.kind != kind || given.erase(argument.index) != 0) continue;
      throw std::invalid_argument(fmt::format("{}: {}({}) {} {}: expected {} {}=...", function.name(),
                                              attribute_of(kind), argument.index, argument.type, argument.name,
                                              option(script, kind), argument.index));
    }
    if (!given.empty())
      throw std::invalid_argument(
          fmt::format("{} {}: {} does not take it", option(script, kind), *given.begin(), function.name()));
  }
}

/// Refuses an array whose numbers are not of the argument's type, unless the argument takes bytes.
void expect_type(const ShaderScript& script, const std::string& name, const ShaderArray& array,
                 const Argument& argument) {
  if (argument.kind == Argument::Kind::texture) return;  // texture_of() checks textures
  const std::string scalar = element_of(argument).scalar;
  if (scalar_size(scalar) == 1 || numpy_name(scalar) == numpy_name(array.scalar)) return;
  throw std::invalid_argument(fmt::format("{} is {}: {} {} takes {}", label(script, name), array.summary(),
                                          argument.type, argument.name, numpy_name(scalar)));
}

/// Calls `visit` with each argument that is a buffer or a texture, and its array.
template <class Visit>
void visit_bound(const ShaderScript& script, const ShaderFunctions& functions, const Visit& visit) {
  for (std::size_t n = 0; n < script.passes.size(); ++n)
    for (const Argument& argument : functions[n]->arguments()) {
      if (argument.kind == Argument::Kind::buffer) visit(argument, script.passes[n].buffers.at(argument.index).array);
      if (argument.kind == Argument::Kind::texture) visit(argument, script.passes[n].textures.at(argument.index));
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
  const auto& [name, offset] = *pass.threadgroups;
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
  const bool has_constants =
      std::ranges::any_of(script.passes, [](const auto& pass) { return !pass.constants.empty(); });
  const auto types = has_constants ? constant_types(script) : std::map<std::uint32_t, std::string>{};
  ShaderFunctions functions;
  for (const ShaderPass& pass : script.passes) {
    auto function = or_refuse(library.new_function(pass.function, constants_of(pass, types)));
    expect_bindings(script, pass, *function);
    functions.push_back(std::move(function));
  }
  return functions;
}

std::map<std::string, ShaderArray> arrays_of(const ShaderScript& script, const ShaderFunctions& functions) {
  std::map<std::string, ShaderArray> arrays;
  visit_bound(script, functions, [&](const Argument& argument, const std::string& name) {
    if (const auto known = arrays.find(name); known != arrays.end())
      return expect_type(script, name, known->second, argument);
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
  visit_bound(script, functions, [&](const Argument& argument, const std::string& name) {
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
  visit_bound(script, functions, [&](const Argument& argument, const std::string& name) {
    if (argument.is_written) names.insert(name);
  });
  return names;
}

}  // namespace assay::validation
