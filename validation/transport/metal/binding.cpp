#include "validation/transport/metal/binding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "validation/transport/declaration/shader_keys.h"
#include "validation/transport/metal/dtype.h"
#include "validation/transport/metal/scalar.h"

namespace assay::validation::transport {
namespace {

using Names = std::vector<std::string>;

std::string scalar_type(const BindingNode& node) {
  const std::string name = node.text();
  if (find_metal_scalar(name) == nullptr) node.refuse("one of " + metal_scalar_names());
  return name;
}

/// A bool may be true or false; no other type takes those for numbers.
MetalValue read_value(const BindingNode& node, const Names& names) {
  const std::string type = scalar_type(node.at("type"));
  const BindingNode value = node.at("value");
  return {type, type == "bool" ? value.truth(names) : value.expression(names)};
}

const MetalArrayOffer* find(const MetalInterface& interface, const std::string& array) {
  const auto found = std::ranges::find(interface.arrays, array, &MetalArrayOffer::name);
  return found == interface.arrays.end() ? nullptr : &*found;
}

std::vector<MetalExpression> extents(const BindingNode& node, const Names& names) {
  std::vector<MetalExpression> all;
  for (const auto& one : node.list()) all.push_back(one.expression(names));
  if (all.empty() || all.size() > 3) node.refuse("a list of one to three extents");
  return all;
}

/// Reads the passes, which see the variables of the repeats around them.
class PassReader {
 public:
  PassReader(const MetalInterface& interface, const MetalBinding& binding) : interface_(interface), binding_(binding) {}

  std::vector<MetalPass> read_list(const BindingNode& node, const Names& names) const {
    std::vector<MetalPass> passes;
    for (const auto& one : node.list()) passes.push_back(read(one, names));
    if (passes.empty()) node.refuse("at least one pass");
    return passes;
  }

 private:
  MetalPass read(const BindingNode& node, Names names) const {
    MetalPass pass;
    pass.where = node.where();
    if (const auto repeat = node.find("repeat")) pass.repeat = read_repeat(*repeat, names);
    if (const auto condition = node.find("condition")) pass.condition = condition->expression(names);
    if (const auto passes = node.find("passes")) {
      node.expect_keys({"passes", "repeat", "condition"});
      pass.passes = read_list(*passes, names);
    } else {
      read_dispatch(node, names, pass);
    }
    return pass;
  }

  /// Adds the variable to the names.
  static MetalRepeat read_repeat(const BindingNode& node, Names& names) {
    node.expect_keys({"variable", "from", "times", "step"});
    const BindingNode variable = node.at("variable");
    const std::string name = variable.text();
    if (std::ranges::find(names, name) != names.end()) variable.refuse("a name that stands for nothing yet");
    const auto optional = [&](const char* key, const char* otherwise) {
      const auto found = node.find(key);
      return found ? found->expression(names) : MetalExpression(node.where(), otherwise, names);
    };
    MetalRepeat repeat{name, optional("from", "0"), node.at("times").expression(names), optional("step", "1")};
    names.push_back(name);
    return repeat;
  }

  void read_dispatch(const BindingNode& node, const Names& names, MetalPass& pass) const {
    node.expect_keys({"function", "grid", "groups", "group", "threadgroup_memory", "buffers", "repeat", "condition"});
    pass.function = node.at("function").text();
    pass.counts_groups = node.find("groups").has_value();
    if (pass.counts_groups && node.find("grid")) node.at("grid").refuse("grid, in threads, or groups, not both");
    pass.grid = extents(node.at(pass.counts_groups ? "groups" : "grid"), names);
    pass.group = extents(node.at("group"), names);
    if (const auto memory = node.find("threadgroup_memory"))
      for (const auto& one : memory->list()) pass.threadgroup_memory.push_back(read_threadgroup_memory(one, names));
    if (const auto buffers = node.find("buffers"))
      for (const auto& one : buffers->list()) pass.buffers.push_back(read_bound(one, names));
  }

  static MetalThreadgroupMemory read_threadgroup_memory(const BindingNode& node, const Names& names) {
    node.expect_keys({"index", "bytes"});
    return {static_cast<std::uint32_t>(node.at("index").integer(0, max_buffer_index)),
            node.at("bytes").expression(names)};
  }

  MetalBound read_bound(const BindingNode& node, const Names& names) const {
    node.expect_keys({"index", "array", "value", "type", "struct"});
    MetalBound bound;
    bound.where = node.where();
    bound.index = static_cast<std::uint32_t>(node.at("index").integer(0, max_buffer_index));
    const auto array = node.find("array"), value = node.find("value"), fields = node.find("struct");
    if (int{array.has_value()} + int{value.has_value()} + int{fields.has_value()} != 1)
      node.refuse("one of array, value and struct");
    if (array) bound.array = array_name(*array);
    if (value) bound.values.push_back(read_value(node, names));
    if (fields) bound.values = read_struct(*fields, names);
    return bound;
  }

  std::vector<MetalValue> read_struct(const BindingNode& node, const Names& names) const {
    const auto structs = binding_.document.find("structs");
    const auto found = structs ? structs->find(node.text()) : std::nullopt;
    if (!found) node.refuse("the name of one of \"structs\"");
    std::vector<MetalValue> fields;
    for (const auto& field : found->list()) {
      field.expect_keys({"type", "value"});
      fields.push_back(read_value(field, names));
    }
    if (fields.empty()) found->refuse("at least one field");
    return fields;
  }

  std::string array_name(const BindingNode& node) const {
    std::string name = node.text();
    if (find(interface_, name) != nullptr || binding_.scratch.contains(name)) return name;
    Names names;
    for (const auto& offer : interface_.arrays) names.push_back(offer.name);
    node.refuse(fmt::format("an array of {}: {}; or a scratch array of this binding", interface_.operation,
                            fmt::join(names, ", ")));
  }

  const MetalInterface& interface_;
  const MetalBinding& binding_;
};

/// Reads the type of an array. An input of the binding's dtype has no other type, which would lose digits.
void read_type(const MetalArrayOffer& offer, const BindingNode& node, MetalBinding& binding) {
  if (offer.type.empty() && !offer.is_output) node.refuse("no type here, but dtype, which its elements have");
  const bool is_floating = find_metal_scalar(binding.types.at(offer.name))->is_floating;
  const std::string type = scalar_type(node);
  if (find_metal_scalar(type)->is_floating != is_floating || type == "bool")
    node.refuse(is_floating ? "float, half or bfloat" : "an integer type, as indices and lengths have");
  binding.types[offer.name] = type;
}

void read_types(const BindingNode& node, const MetalInterface& interface, MetalBinding& binding) {
  const std::string dtype = metal_type_of(declared_dtype(node));
  for (const auto& offer : interface.arrays) binding.types[offer.name] = offer.type.empty() ? dtype : offer.type;
  const auto types = node.find("types");
  if (!types) return;
  for (const auto& [array, type] : types->members()) {
    const MetalArrayOffer* const offer = find(interface, array);
    if (offer == nullptr) type.refuse("the type of an array of " + interface.operation);
    read_type(*offer, type, binding);
  }
}

void read_scratch(const BindingNode& node, const MetalInterface& interface, MetalBinding& binding) {
  const auto scratch = node.find("scratch");
  if (!scratch) return;
  for (const auto& [name, one] : scratch->members()) {
    one.expect_keys({"type", "elements"});
    if (find(interface, name) != nullptr) one.refuse("a name that no array of " + interface.operation + " has");
    binding.scratch.emplace(
        name, MetalScratch{scalar_type(one.at("type")), one.at("elements").expression(interface.variables)});
  }
}

void read_fill(const BindingNode& node, const MetalInterface& interface, MetalBinding& binding) {
  const auto fill = node.find("fill");
  if (!fill) return;
  for (const auto& [name, one] : fill->members()) {
    const MetalArrayOffer* const offer = find(interface, name);
    const bool is_output = offer != nullptr && offer->is_output;
    if (!is_output && !binding.scratch.contains(name)) one.refuse("the value of an output or a scratch array");
    binding.fill.emplace(name, one.expression(interface.variables));
  }
}

void read_constants(const BindingNode& node, const MetalInterface& interface, MetalBinding& binding) {
  const auto constants = node.find("constants");
  if (!constants) return;
  for (const auto& one : constants->list()) {
    one.expect_keys({"index", "type", "value"});
    binding.constants.push_back({one.where(),
                                 static_cast<std::uint32_t>(one.at("index").integer(0, max_constant_index)),
                                 read_value(one, interface.variables)});
  }
}

bool binds(const std::vector<MetalPass>& passes, const std::string& array) {
  return std::ranges::any_of(passes, [&](const MetalPass& pass) {
    return binds(pass.passes, array) ||
           std::ranges::any_of(pass.buffers, [&](const MetalBound& bound) { return bound.array == array; });
  });
}

}  // namespace

bool MetalBinding::uses(const std::string& array) const {
  return binds(passes, array);
}

MetalBinding read_binding(const std::filesystem::path& path, const MetalInterface& interface) {
  const BindingNode node = BindingNode::read(path);
  node.expect_keys({"operation", "name", "source", "metal_version", "macros", "dtype", "declares", "support",
                    "host_validates", "types", "scratch", "fill", "constants", "structs", "step_limit", "passes"});
  if (node.at("operation").text() != interface.operation)
    node.at("operation").refuse(fmt::format("\"{}\", as this gate judges", interface.operation));
  MetalBinding binding(node);
  binding.language = read_language(node);
  if (const auto validates = node.find("host_validates")) binding.host_validates = validates->flag();
  read_types(node, interface, binding);
  read_scratch(node, interface, binding);
  read_fill(node, interface, binding);
  read_constants(node, interface, binding);
  if (const auto limit = node.find("step_limit")) binding.step_limit = limit->expression(interface.variables);
  binding.passes = PassReader(interface, binding).read_list(node.at("passes"), interface.variables);
  binding.source = read_source(node, path.parent_path());
  return binding;
}

}  // namespace assay::validation::transport
