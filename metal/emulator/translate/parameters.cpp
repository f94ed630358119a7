#include "metal/emulator/translate/kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "metal/emulator/abi/positions.h"
#include "metal/emulator/translate/constant_expression.h"

namespace assay::metal::emulator {

namespace {

using abi::AddressSpace;
using abi::ArgumentKind;

/// The attributes that give an index, and how many indices there are.
constexpr std::array<std::pair<std::string_view, std::uint32_t>, 4> indexed = {{{"buffer", abi::max_arguments},
                                                                                {"threadgroup", abi::max_arguments},
                                                                                {"texture", abi::max_textures},
                                                                                {"sampler", abi::max_samplers}}};

class Parameter {
 public:
  Parameter(const Source& source, std::size_t first, std::size_t last)
      : source_(source), first_(first), last_(source.find(first, last, "=")) {}

  KernelParameter read() {
    const std::size_t type_end = source_.type_end(first_, last_);
    if (type_end == first_) source_.fail(first_, "cannot read this parameter");
    std::size_t name = type_end;
    while (name < last_ && (!source_.is_identifier(name) || source_.is_attribute(name) || source_[name] == "const"))
      ++name;
    if (name < last_) result_.name = source_[name].text;
    result_.type = source_.join(first_, name) + (name < last_ ? source_.join(name + 1, last_) : "");
    refuse_tensor(type_end);
    texture_or_sampler(type_end);
    refuse_hardware(type_end);
    result_.is_function_table = holds_function_table(first_, type_end);
    is_pointer_ = source_.find(type_end, name, "*&") != name || source_.find(type_end, last_, "[(") != last_;
    element_type(first_, type_end);
    address_space(first_, type_end);
    if (!is_pointer_ && is_memory()) pointer_alias(type_end);
    expect_memory();
    attributes(type_end);
    return result_;
  }

  bool has_index() const { return has_index_; }

 private:
  void refuse_tensor(std::size_t type_end) const {
    for (std::size_t n = first_; n < type_end; ++n)
      if (source_[n] == "tensor" && source_[n + 1] == "<")
        fail(
            "is a tensor of the host's, which is not supported: pass a pointer, and make a tensor_inline in the "
            "kernel");
  }

  /// Without an attribute, the name of the type tells.
  void texture_or_sampler(std::size_t type_end) {
    std::size_t name = first_;
    while (name + 1 < type_end && (source_[name] == "const" || source_[name + 1] == "::" || source_[name] == "::"))
      ++name;
    const std::string_view word = source_[name].text;
    if (word == "sampler") result_.kind = ArgumentKind::sampler;
    if (std::ranges::find(texture_types, word) != texture_types.end()) result_.kind = ArgumentKind::texture;
    for (const Attribute& attribute : source_.attributes(first_, last_)) {
      if (attribute.name == "sampler") result_.kind = ArgumentKind::sampler;
      if (attribute.name == "texture") result_.kind = ArgumentKind::texture;
    }
    if (word == "array" && result_.kind == ArgumentKind::texture) return texture_array(name + 1);
    if (std::ranges::find(unsupported_texture_types, word) != unsupported_texture_types.end())
      fail(fmt::format(
          "is a {}, which is not supported: expected one of {}{}", word, fmt::join(texture_types, ", "),
          word.ends_with("_ms") ? "; make each sample a layer of an array, and read(xy, sample) can stay" : ""));
  }

  /// array<texture2d<float>, 4>
  void texture_array(std::size_t open) {
    const auto parts = split_angles(source_, open);
    const auto count = parts.size() == 2 ? constant_value(source_, parts[1].first, parts[1].second) : std::nullopt;
    const bool is_texture =
        count && std::ranges::find(texture_types, source_[parts[0].first].text) != texture_types.end();
    if (!is_texture || *count < 1 || *count > abi::max_textures)
      fail(fmt::format("is {}: expected array<TEXTURE, N> with a constant N from 1 to {}", result_.type,
                       abi::max_textures));
    result_.count = static_cast<std::uint32_t>(*count);
  }

  void refuse_hardware(std::size_t type_end) const {
    for (std::size_t n = first_; n < type_end; ++n) {
      if (source_[n] == "imageblock")
        fail("is an imageblock, the tile memory of a render pass, which is not supported");
      if (source_[n] == "intersection_function_table" || source_[n].text.ends_with("acceleration_structure"))
        fail(fmt::format("is of type {}, which is not supported", source_[n].text));
    }
  }

  bool is_memory() const {
    const bool is_of_threads = result_.kind == ArgumentKind::buffer || result_.kind == ArgumentKind::threadgroup;
    return is_of_threads && !result_.is_function_table;
  }

  bool holds_function_table(std::size_t first, std::size_t last) const {
    for (std::size_t n = first; n < last; ++n)
      if (source_[n] == "visible_function_table") return true;
    return false;
  }

  /// The type that the source names so, as tokens [first, last): `typedef ... NAME;` or `using NAME = ...;`. Empty if
  /// the type that ends at `type_end` is no such name.
  std::pair<std::size_t, std::size_t> aliased(std::size_t type_end) const {
    const std::string_view name = source_[type_end - 1].text;
    for (std::size_t n = 0; n + 2 < source_.size(); ++n) {
      if (source_[n] != "typedef" && source_[n] != "using") continue;
      const std::size_t end = source_.find(n, source_.size(), ";");
      if (source_[n] == "typedef" && source_[end - 1] == name) return {n + 1, end - 1};
      if (source_[n] == "using" && source_[n + 1] == name && source_[n + 2] == "=") return {n + 3, end};
    }
    return {type_end, type_end};
  }

  /// A name for a pointer has the pointer's address space.
  void pointer_alias(std::size_t type_end) {
    const auto [first, last] = aliased(type_end);
    if (first == last || (source_[last - 1] != "*" && source_[last - 1] != "&")) return;
    is_pointer_ = true;
    element_type(first, last - 1);
    address_space(first, last);
  }

  void element_type(std::size_t first, std::size_t last) {
    result_.element_type.clear();
    for (std::size_t n = first; n < last; ++n) {
      const bool is_dropped =
          source_.is_attribute(n) || source_.is_address_space(n) || source_[n] == "const" || source_[n] == "volatile";
      if (is_dropped) continue;
      const bool both = !result_.element_type.empty() && source_.is_identifier(n) && source_.is_identifier(n - 1);
      result_.element_type.append(both ? " " : "").append(source_[n].text);
    }
  }

  void address_space(std::size_t first, std::size_t last) {
    for (std::size_t n = first; n < last; ++n) {
      if (!source_.is_address_space(n)) continue;
      if (source_[n] == "device") result_.space = AddressSpace::device;
      if (source_[n] == "constant") result_.space = AddressSpace::constant;
      if (source_[n] == "threadgroup") result_.space = AddressSpace::threadgroup;
    }
  }

  void expect_memory() {
    if (!is_memory()) return;
    if (is_pointer_ && result_.space == AddressSpace::none) fail("has to be in device, constant or threadgroup memory");
    if (!is_pointer_ && result_.space != AddressSpace::none) fail("has to be a pointer or a reference");
    if (result_.space == AddressSpace::threadgroup) result_.kind = ArgumentKind::threadgroup;
  }

  void attributes(std::size_t type_end) {
    bool is_position = false;
    for (const Attribute& attribute : source_.attributes(first_, last_)) {
      for (const auto& [name, limit] : indexed)
        if (attribute.name == name) index(attribute, limit);
      if (attribute.name == "function_constant") result_.condition = source_.join(attribute);
      if (attribute.name == "stage_in") fail("is a stage_in, which is not supported");
      if (std::ranges::find(abi::positions, attribute.name) == abi::positions.end()) continue;
      is_position = true;
      result_.attribute = attribute.name;
      result_.kind = ArgumentKind::position;
    }
    if (is_memory() && !is_pointer_ && has_index_) {
      const auto [first, last] = aliased(type_end);
      result_.is_function_table = holds_function_table(first, last);
    }
    if (is_memory() && !is_pointer_) fail("has no attribute that is known, and is neither a pointer nor a reference");
    if (is_pointer_ && is_position) fail("is a pointer where a position is a value");
  }

  void index(const Attribute& attribute, std::uint32_t limit) {
    if (attribute.name != kind_name(result_.kind))
      fail(fmt::format("is '{}', which does not go with [[{}]]", result_.type, attribute.name));
    const auto value = constant_value(source_, attribute.first, attribute.last);
    if (!value || *value < 0 || *value >= limit)
      fail(fmt::format("has index '{}': expected a constant from 0 to {}", source_.join(attribute), limit - 1));
    result_.index = static_cast<std::uint32_t>(*value);
    has_index_ = true;
  }

  [[noreturn]] void fail(std::string_view what) const {
    source_.fail(first_, fmt::format("parameter '{}' of the kernel {}", result_.name, what));
  }

  const Source& source_;
  std::size_t first_, last_;
  bool is_pointer_ = false, has_index_ = false;
  KernelParameter result_;
};

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> split_parameters(const Source& source, std::size_t open) {
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  const std::size_t close = source.match(open);
  std::size_t first = open + 1;
  for (std::size_t n = first; n < close; ++n) {
    if (source[n] == "<")
      if (const auto angle = source.match_angle(n); angle && *angle < close) n = *angle;
    if (source[n] == "(" || source[n] == "[" || source[n] == "{") n = source.match(n);
    if (source[n] != ",") continue;
    parts.emplace_back(first, n);
    first = n + 1;
  }
  const bool is_void = close == first + 1 && source[first] == "void";
  if (first < close && !is_void) parts.emplace_back(first, close);
  return parts;
}

namespace {

/// Adds a parameter, or those that the members of a struct are. Gives each its index.
class ParameterList {
 public:
  ParameterList(const Source& source, const std::vector<Declaration>& declarations)
      : source_(source), declarations_(declarations) {}

  void add(std::size_t first, std::size_t last) {
    const Declaration* const type = struct_of_resources(source_, declarations_, first, last);
    if (type == nullptr) {
      add_one(first, last, {});
    } else {
      for (const Declaration& member : declarations_)
        if (is_member_of(source_, member, *type))
          add_one(member.specifiers, member.last - 1, std::string(source_[last - 1].text));
    }
    ++number_;
  }

  std::vector<KernelParameter> found() && {
    for (const std::size_t n : implicit_)
      while (!taken_.try_emplace({parameters_[n].kind, parameters_[n].index}, true).second) ++parameters_[n].index;
    return std::move(parameters_);
  }

 private:
  void add_one(std::size_t first, std::size_t last, std::string owner) {
    Parameter parameter(source_, first, last);
    parameters_.push_back(parameter.read());
    KernelParameter& read = parameters_.back();
    read.number = number_;
    read.owner = std::move(owner);
    if (read.kind == ArgumentKind::position) return;
    if (!parameter.has_index()) implicit_.push_back(parameters_.size() - 1);
    if (!parameter.has_index()) return;
    for (std::uint32_t n = 0; n < std::max(read.count, 1U); ++n) take(read, read.index + n, first);
  }

  /// Arguments under function constants may share an index, because only one of them may exist.
  void take(const KernelParameter& read, std::uint32_t index, std::size_t first) {
    const auto [other, is_new] = taken_.try_emplace({read.kind, index}, read.condition.empty());
    if (!is_new && (other->second || read.condition.empty()))
      source_.fail(first,
                   fmt::format("parameter '{}' of the kernel has index {}, which another one has", read.name, index));
  }

  const Source& source_;
  const std::vector<Declaration>& declarations_;
  std::vector<KernelParameter> parameters_;
  std::map<std::pair<ArgumentKind, std::uint32_t>, bool> taken_;  // and whether always
  std::vector<std::size_t> implicit_;
  std::size_t number_ = 0;
};

}  // namespace

std::vector<KernelParameter> kernel_parameters(const Source& source, const std::vector<Declaration>& declarations,
                                               std::size_t open) {
  ParameterList parameters(source, declarations);
  for (const auto& [first, last] : split_parameters(source, open)) parameters.add(first, last);
  return std::move(parameters).found();
}

}  // namespace assay::metal::emulator
