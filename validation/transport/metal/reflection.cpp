#include "validation/transport/metal/reflection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "validation/transport/metal/scalar.h"

namespace assay::validation::transport {
namespace {

using metal::Argument;

/// Compares one pass with the function that the pass runs.
class PassFit {
 public:
  PassFit(const MetalBinding& binding, const MetalPass& pass, const metal::Function& function)
      : binding_(binding), pass_(pass), function_(function) {}

  void expect() const {
    std::set<std::uint32_t> buffers, memory;
    for (const auto& bound : pass_.buffers) {
      if (!buffers.insert(bound.index).second) refuse(bound.where, fmt::format("index {} is bound twice", bound.index));
      expect_type(bound, argument(Argument::Kind::buffer, bound.index, bound.where));
    }
    for (const auto& one : pass_.threadgroup_memory) {
      if (!memory.insert(one.index).second)
        refuse(pass_.where, fmt::format("threadgroup({}) is given twice", one.index));
      argument(Argument::Kind::threadgroup_memory, one.index, one.bytes.where());
    }
    for (const auto& argument : function_.arguments()) expect_bound(argument, buffers, memory);
  }

 private:
  [[noreturn]] static void refuse(const std::string& where, const std::string& what) {
    throw std::invalid_argument(fmt::format("{}: {}", where, what));
  }

  static std::string name_of(const Argument& argument) {
    return fmt::format("`{} {} [[{}({})]]`", argument.type, argument.name, attribute_of(argument.kind), argument.index);
  }

  const Argument& argument(Argument::Kind kind, std::uint32_t index, const std::string& where) const {
    std::string taken;
    for (const auto& one : function_.arguments()) {
      if (one.kind == Argument::Kind::position) continue;
      if (one.kind == kind && one.index == index) return one;
      taken += fmt::format("{}{}", taken.empty() ? "" : ", ", name_of(one));
    }
    refuse(where, fmt::format("{} has no {} of index {}: it takes {}", pass_.function,
                              kind == Argument::Kind::buffer ? "buffer" : "threadgroup memory", index, taken));
  }

  void expect_bound(const Argument& argument, const std::set<std::uint32_t>& buffers,
                    const std::set<std::uint32_t>& memory) const {
    if (argument.kind == Argument::Kind::position) return;
    if (argument.kind == Argument::Kind::texture || argument.kind == Argument::Kind::sampler)
      refuse(pass_.where, fmt::format("{} takes {}, which a binding cannot bind", pass_.function, name_of(argument)));
    const bool is_buffer = argument.kind == Argument::Kind::buffer;
    if ((is_buffer ? buffers : memory).contains(argument.index)) return;
    refuse(pass_.where, fmt::format("nothing is bound to {} of {}: expected index {} among its {}", name_of(argument),
                                    pass_.function, argument.index, is_buffer ? "buffers" : "threadgroup_memory"));
  }

  void expect_type(const MetalBound& bound, const Argument& argument) const {
    if (bound.array.empty()) return expect_values(bound, argument);
    const MetalScalar* const wanted = scalar_of_element(argument.element_type);
    const auto scratch = binding_.scratch.find(bound.array);
    const bool is_scratch = scratch != binding_.scratch.end();
    const std::string& type = is_scratch ? scratch->second.type : binding_.types.at(bound.array);
    if (wanted == nullptr || wanted->name == type) return;
    refuse(bound.where, fmt::format("{} is {}, and {} takes {}: expected {}.{}{} = \"{}\"", bound.array, type,
                                    pass_.function, name_of(argument), is_scratch ? "scratch" : "types", bound.array,
                                    is_scratch ? ".type" : "", wanted->name));
  }

  void expect_values(const MetalBound& bound, const Argument& argument) const {
    const MetalScalar* const wanted = scalar_of_element(argument.element_type);
    const bool is_one = bound.values.size() == 1 && argument.element_type == bound.values.front().type;
    if (is_one || (wanted == nullptr && bytes_of_fields(bound.values) == argument.element_size)) return;
    std::vector<std::string> types;
    for (const auto& value : bound.values) types.push_back(value.type);
    refuse(bound.where, fmt::format("the values are {}, {} bytes, and {} takes {}, {} bytes: expected the same types",
                                    fmt::join(types, ", "), bytes_of_fields(bound.values), pass_.function,
                                    name_of(argument), argument.element_size));
  }

  const MetalBinding& binding_;
  const MetalPass& pass_;
  const metal::Function& function_;
};

void expect_fit(const MetalBinding& binding, const std::vector<MetalPass>& passes, metal::Library& library) {
  for (const auto& pass : passes) {
    if (!pass.passes.empty()) {
      expect_fit(binding, pass.passes, library);
      continue;
    }
    const auto function = library.new_function(pass.function);
    if (!function)
      throw std::invalid_argument(fmt::format("{}.function = \"{}\": expected a kernel of {}: {}", pass.where,
                                              pass.function, binding.source.string(),
                                              fmt::join(library.function_names(), ", ")));
    PassFit(binding, pass, **function).expect();
  }
}

}  // namespace

std::size_t bytes_of_fields(const std::vector<MetalValue>& fields) {
  std::size_t bytes = 0, alignment = 1;
  const auto align = [&bytes](std::size_t to) { bytes = (bytes + to - 1) / to * to; };
  for (const auto& field : fields) {
    const std::size_t size = find_metal_scalar(field.type)->bytes;
    align(size);
    bytes += size;
    alignment = std::max(alignment, size);
  }
  align(alignment);
  return bytes;
}

void expect_fit(const MetalBinding& binding, metal::Library& library) {
  expect_fit(binding, binding.passes, library);
}

}  // namespace assay::validation::transport
