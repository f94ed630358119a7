#include "metal/emulator/translate/kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "metal/emulator/abi/positions.h"

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
    refuse_ray_tracing(type_end);
    result_.is_function_table = holds_function_table(first_, type_end);
    is_pointer_ = source_.find(type_end, name, "*&") != name || source_.find(type_end, last_, "[(") != last_;
    element_type(type_end);
    address_space(type_end);
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
    const bool is_array = word == "array" && result_.kind == ArgumentKind::texture;
    if (is_array || std::ranges::find(unsupported_texture_types, word) != unsupported_texture_types.end())
      fail(fmt::format("is {}, which is not supported: expected one of {}",
                       is_array ? "an array of textures" : fmt::format("a {}", word), fmt::join(texture_types, ", ")));
  }

  void refuse_ray_tracing(std::size_t type_end) const {
    for (std::size_t n = first_; n < type_end; ++n)
      if (source_[n] == "intersection_function_table" || source_[n].text.ends_with("acceleration_structure"))
        fail(fmt::format("is of type {}, which is not supported", source_[n].text));
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

  /// Whether the type that ends at `type_end` is a name that the source gives to a table: `typedef ... NAME;` or
  /// `using NAME = ...;`.
  bool names_function_table(std::size_t type_end) const {
    const std::string_view name = source_[type_end - 1].text;
    for (std::size_t n = 0; n + 2 < source_.size(); ++n) {
      if (source_[n] != "typedef" && source_[n] != "using") continue;
      const std::size_t end = source_.find(n, source_.size(), ";");
      if (source_[source_[n] == "using" ? n + 1 : end - 1] == name && holds_function_table(n, end)) return true;
    }
    return false;
  }

  void element_type(std::size_t type_end) {
    for (std::size_t n = first_; n < type_end; ++n) {
      const bool is_dropped =
          source_.is_attribute(n) || source_.is_address_space(n) || source_[n] == "const" || source_[n] == "volatile";
      if (is_dropped) continue;
      const bool both = !result_.element_type.empty() && source_.is_identifier(n) && source_.is_identifier(n - 1);
      result_.element_type.append(both ? " " : "").append(source_[n].text);
    }
  }

  void address_space(std::size_t type_end) {
    for (std::size_t n = first_; n < type_end; ++n) {
      if (!source_.is_address_space(n)) continue;
      if (source_[n] == "device") result_.space = AddressSpace::device;
      if (source_[n] == "constant") result_.space = AddressSpace::constant;
      if (source_[n] == "threadgroup") result_.space = AddressSpace::threadgroup;
    }
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
    if (is_memory() && !is_pointer_ && has_index_) result_.is_function_table = names_function_table(type_end);
    if (is_memory() && !is_pointer_) fail("has no attribute that is known, and is neither a pointer nor a reference");
    if (is_pointer_ && is_position) fail("is a pointer where a position is a value");
  }

  void index(const Attribute& attribute, std::uint32_t limit) {
    if (attribute.name != kind_name(result_.kind))
      fail(fmt::format("is '{}', which does not go with [[{}]]", result_.type, attribute.name));
    const std::string given = source_.join(attribute), text = enumerator(given).value_or(given);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result_.index);
    if (error != std::errc() || end != text.data() + text.size() || result_.index >= limit)
      fail(fmt::format("has index '{}': expected 0 to {}, or an enumerator that is given such a number", given,
                       limit - 1));
    has_index_ = true;
  }

  /// The value of an enumerator in `{ name = number, ... }`: headers shared with the host define indices so.
  std::optional<std::string> enumerator(std::string_view name) const {
    for (std::size_t n = 1; n + 3 < source_.size(); ++n) {
      const bool is_it =
          source_[n] == name && source_[n + 1] == "=" && (source_[n - 1] == "{" || source_[n - 1] == ",");
      if (is_it && (source_[n + 3] == "," || source_[n + 3] == "}")) return std::string(source_[n + 2].text);
    }
    return std::nullopt;
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

std::vector<KernelParameter> kernel_parameters(const Source& source, std::size_t open) {
  std::vector<KernelParameter> parameters;
  std::map<std::pair<ArgumentKind, std::uint32_t>, bool> taken;  // and whether always
  std::vector<std::size_t> implicit;
  for (const auto& [first, last] : split_parameters(source, open)) {
    Parameter parameter(source, first, last);
    parameters.push_back(parameter.read());
    const KernelParameter& read = parameters.back();
    if (read.kind == ArgumentKind::position) continue;
    if (!parameter.has_index()) implicit.push_back(parameters.size() - 1);
    if (!parameter.has_index()) continue;
    const auto [other, is_new] = taken.try_emplace({read.kind, read.index}, read.condition.empty());
    // Arguments under function constants may share an index, because only one of them may exist.
    if (!is_new && (other->second || read.condition.empty()))
      source.fail(first, fmt::format("parameter '{}' of the kernel has index {}, which another one has", read.name,
                                     read.index));
  }
  for (const std::size_t n : implicit)
    while (!taken.try_emplace({parameters[n].kind, parameters[n].index}, true).second) ++parameters[n].index;
  return parameters;
}

}  // namespace assay::metal::emulator
