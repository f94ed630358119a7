#include "validation/shader/fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <stdexcept>

#include "validation/shader/buffers.h"

namespace assay::validation {
namespace {

using metal::Argument;

[[noreturn]] void refuse_pass(const ShaderPass& pass, const std::string& what) {
  throw std::invalid_argument(pass.where.empty() ? what : fmt::format("{}: {}", pass.where, what));
}

/// The option or key by which a user binds something to an index.
std::string option(const ShaderScript& script, Argument::Kind kind) {
  const bool is_memory = kind == Argument::Kind::threadgroup_memory;
  if (!script.is_command_line) return is_memory ? "threadgroup_memory" : fmt::format("{}s", attribute_of(kind));
  return is_memory ? "--threadgroup-memory" : fmt::format("--{}", attribute_of(kind));
}

std::string in_words(const Argument& argument) {
  return fmt::format("{}({}) {} {}", attribute_of(argument.kind), argument.index, argument.type, argument.name);
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

void expect_indices(const ShaderScript& script, const ShaderPass& pass, const metal::Function& function,
                    Argument::Kind kind) {
  std::set<std::uint32_t> extra = bound_indices(pass, kind);
  const Argument* missing = nullptr;
  std::vector<std::string> taken;
  for (const Argument& argument : function.arguments()) {
    if (argument.kind != kind) continue;
    taken.push_back(in_words(argument));
    if (extra.erase(argument.index) == 0 && missing == nullptr) missing = &argument;
  }
  const std::string key = option(script, kind);
  if (!extra.empty())
    refuse_pass(pass, fmt::format("{} {}: {} does not take it, but {}", key, *extra.begin(), function.name(),
                                  taken.empty() ? "none" : fmt::format("{}", fmt::join(taken, ", "))));
  if (missing != nullptr)
    refuse_pass(pass, fmt::format("{}: {}: expected {}", function.name(), in_words(*missing),
                                  script.is_command_line ? fmt::format("{} {}=...", key, missing->index)
                                                         : fmt::format("index {} among its {}", missing->index, key)));
}

void expect_values(const ShaderPass& pass, const metal::Function& function, const Argument& argument) {
  const std::vector<ShaderValue>& values = pass.buffers.at(argument.index).values;
  if (values.empty() || (values.size() == 1 && argument.element_type == values.front().type)) return;
  const std::size_t size = bytes_of_values(values).size();
  if (scalar_of_element(argument.element_type) == nullptr && size == argument.element_size) return;
  refuse_pass(pass, fmt::format("buffers {}: the values are {}, {} bytes, and {} takes {}, {} bytes: expected the same "
                                "types",
                                argument.index, fmt::join(values | std::views::transform(&ShaderValue::type), ", "),
                                size, function.name(), in_words(argument), argument.element_size));
}

}  // namespace

std::string label(const ShaderScript& script, const std::string& array) {
  if (!script.is_command_line) return "arrays." + array;
  return array.starts_with(texture_prefix) ? "--texture " + array.substr(texture_prefix.size()) : "--buffer " + array;
}

void expect_bindings(const ShaderScript& script, const ShaderPass& pass, const metal::Function& function) {
  using enum Argument::Kind;
  for (const Argument::Kind kind : {buffer, threadgroup_memory, texture, sampler})
    expect_indices(script, pass, function, kind);
  for (const Argument& argument : function.arguments())
    if (argument.kind == buffer) expect_values(pass, function, argument);
}

void expect_type(const ShaderScript& script, const ShaderPass& pass, const std::string& name, const ShaderArray& array,
                 const Argument& argument) {
  if (argument.kind == Argument::Kind::texture) return;  // texture_of() checks textures
  const std::string dtype = numpy_name(array.scalar);
  if (!array.type_key.empty()) {
    const MetalScalar* const wanted = scalar_of_element(argument.element_type);
    if (wanted == nullptr || wanted->numpy == dtype) return;
    refuse_pass(pass, fmt::format("buffers {}: {} is {}, and {} takes {}: expected {} = \"{}\"", argument.index, name,
                                  array.scalar, pass.function, in_words(argument), array.type_key, wanted->name));
  }
  const std::string scalar = element_of(argument).scalar;
  if (scalar_size(scalar) == 1 || numpy_name(scalar) == dtype) return;
  refuse_pass(pass, fmt::format("{} is {}: {} {} takes {}", label(script, name), array.summary(), argument.type,
                                argument.name, numpy_name(scalar)));
}

}  // namespace assay::validation
