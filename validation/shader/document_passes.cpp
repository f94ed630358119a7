#include "validation/shader/document_passes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "metal/device/encoder_rules.h"
#include "validation/core/parse.h"
#include "validation/shader/scalar.h"
#include "validation/transport/declaration/shader_keys.h"

namespace assay::validation {
namespace {

using Names = std::vector<std::string>;
using namespace transport;

std::vector<MetalExpression> read_extents(const BindingNode& node, const Names& names) {
  std::vector<MetalExpression> all;
  for (const auto& one : node.list()) all.push_back(one.expression(names));
  if (all.empty() || all.size() > 3) node.refuse("a list of one to three extents");
  return all;
}

std::uint64_t whole(const MetalExpression& expression, const MetalVariables& at, std::int64_t lowest,
                    std::int64_t highest) {
  return static_cast<std::uint64_t>(expression.integer(at, lowest, highest));
}

/// Calls read(index, entry) with the entries of a list, which may be missing.
template <class Read>
void read_entries(const BindingNode& node, const std::string& key, std::uint32_t highest,
                  const std::set<std::string>& keys, const Read& read) {
  const auto list = node.find(key);
  if (!list) return;
  std::set<std::uint32_t> indices;
  for (const BindingNode& entry : list->list()) {
    entry.expect_keys(keys);
    const BindingNode index = entry.at("index");
    const auto number = static_cast<std::uint32_t>(index.integer(0, highest));
    if (!indices.insert(number).second) index.refuse("an index that is not bound twice");
    read(number, entry);
  }
}

/// Reads a number into the place to(pass), which has it at once if it is a literal, with all its digits. A bool may be
/// true or false; no other type takes those for numbers.
template <class To>
void read_value(const BindingNode& entry, const std::string& type, const Names& names, DocumentPass& pass,
                const To& to) {
  const BindingNode node = entry.at("value");
  const std::string text = node.word();
  const bool is_truth = text == "true" || text == "false";
  to(pass.dispatch) = {"0", type};
  if (!(is_truth && (type.empty() || type == "bool")) && !parse_number<double>(text)) {
    pass.rest.emplace_back([to, type, value = node.expression(names)](ShaderPass& at, const MetalVariables& variables) {
      to(at).text = text_of(value, type, variables);
    });
    return;
  }
  try {
    if (!type.empty()) scalar_bytes(type, text);
  } catch (const std::invalid_argument&) {
    node.refuse("what " + type + " holds");
  }
  to(pass.dispatch).text = text;
}

class PassReader {
 public:
  PassReader(ShaderDocument& document, const std::set<std::string>& arrays) : document_(document), arrays_(arrays) {}

  std::vector<DocumentPass> passes(const BindingNode& node, const Names& names) const {
    std::vector<DocumentPass> passes;
    for (const auto& one : node.list()) passes.push_back(pass(one, names));
    if (passes.empty()) node.refuse("at least one pass");
    return passes;
  }

 private:
  DocumentPass pass(const BindingNode& node, Names names) const {
    DocumentPass pass{.where = node.where()};
    if (const auto repeat = node.find("repeat")) pass.repeat = read_repeat(*repeat, names);
    if (const auto condition = node.find("condition")) pass.condition = condition->expression(names);
    if (const auto list = node.find("passes")) {
      node.expect_keys({"passes", "repeat", "condition"});
      pass.passes = passes(*list, names);
    } else {
      read_dispatch(node, names, pass);
    }
    return pass;
  }

  /// Adds the variable to the names.
  static DocumentRepeat read_repeat(const BindingNode& node, Names& names) {
    node.expect_keys({"variable", "from", "times", "step"});
    const BindingNode variable = node.at("variable");
    const std::string name = variable.text();
    if (std::ranges::find(names, name) != names.end()) variable.refuse("a name that stands for nothing yet");
    const auto optional = [&](const char* key, const char* otherwise) {
      const auto found = node.find(key);
      return found ? found->expression(names) : MetalExpression(node.where(), otherwise, names);
    };
    DocumentRepeat repeat{name, optional("from", "0"), node.at("times").expression(names), optional("step", "1")};
    names.push_back(name);
    return repeat;
  }

  void read_dispatch(const BindingNode& node, const Names& names, DocumentPass& pass) const {
    std::set<std::string> keys = {"function",           "grid",    "groups", "threadgroups", "group",
                                  "threadgroup_memory", "buffers", "repeat", "condition",    "constants"};
    if (!document_.has_operation) keys.insert({"textures", "samplers"});  // whose arrays have the shapes of textures
    node.expect_keys(keys);
    if (const auto function = node.find("function")) pass.dispatch.function = function->text();
    pass.dispatch.where = node.where();
    read_grid(node, names, pass);
    read_entries(node, "buffers", max_buffer_index, {"index", "array", "offset", "value", "type", "struct"},
                 [&](std::uint32_t index, const auto& entry) {
                   read_bound(entry, names, pass, [index](ShaderPass& at) -> auto& { return at.buffers[index]; });
                 });
    read_entries(node, "textures", max_texture_index, {"index", "array"},
                 [&](auto index, const auto& entry) { pass.dispatch.textures[index] = array_name(entry.at("array")); });
    read_entries(node, "samplers", max_sampler_index, {"index", "sampler"},
                 [&](auto index, const auto& entry) { pass.dispatch.samplers[index] = entry.at("sampler").text(); });
    read_entries(node, "threadgroup_memory", max_buffer_index, {"index", "bytes"}, [&](auto index, const auto& entry) {
      pass.dispatch.threadgroup[index] = 0;
      pass.rest.emplace_back([index, bytes = entry.at("bytes").expression(names), lowest = lowest()](
                                 ShaderPass& at, const MetalVariables& variables) {
        at.threadgroup[index] = (whole(bytes, variables, lowest, max_bytes_of_array) + 15) / 16 * 16;
      });
    });
    read_constants(node, names, pass);
    read_constants(document_.node, names, pass);
  }

  /// The pass keeps those that it has already.
  void read_constants(const BindingNode& node, const Names& names, DocumentPass& pass) const {
    read_entries(node, "constants", max_constant_index, {"index", "type", "value"},
                 [&](std::uint32_t index, const auto& entry) {
                   if (pass.dispatch.constants.contains(index)) return;
                   const bool is_typed = document_.has_operation || entry.find("type");
                   read_value(entry, is_typed ? scalar_type(entry.at("type")) : "", names, pass,
                              [index](ShaderPass& at) -> auto& { return at.constants[index]; });
                 });
  }

  void read_grid(const BindingNode& node, const Names& names, DocumentPass& pass) const {
    const auto groups = node.find("groups"), threadgroups = node.find("threadgroups"), group = node.find("group");
    if (int{groups.has_value()} + int{threadgroups.has_value()} + int{node.find("grid").has_value()} > 1)
      node.refuse("one of grid, in threads, groups and threadgroups");
    if (threadgroups) {
      threadgroups->expect_keys({"array", "offset"});
      pass.dispatch.threadgroups.emplace();
      read_array(*threadgroups, names, pass, [](ShaderPass& at) -> auto& { return *at.threadgroups; });
    } else {
      pass.grid = read_extents(groups ? *groups : node.at("grid"), names);
    }
    if (group || groups || threadgroups)
      pass.rest.emplace_back([extents = read_extents(node.at("group"), names)](ShaderPass& at, const auto& variables) {
        at.group = size_of(extents, variables, 1);
      });
    else
      pass.rest.emplace_back(
          [](ShaderPass& at, const auto&) { at.group = {std::min<std::uint64_t>(at.grid.width, 256)}; });
    if (groups)
      pass.rest.emplace_back([](ShaderPass& at, const auto&) { at.grid = metal::threads_of(at.grid, at.group); });
  }

  template <class To>
  void read_array(const BindingNode& node, const Names& names, DocumentPass& pass, const To& to) const {
    to(pass.dispatch).array = array_name(node.at("array"));
    if (const auto offset = node.find("offset"))
      pass.rest.emplace_back([to, offset = offset->expression(names)](ShaderPass& at, const MetalVariables& variables) {
        to(at).offset = whole(offset, variables, 0, max_bytes_of_array);
      });
  }

  template <class To>
  void read_bound(const BindingNode& node, const Names& names, DocumentPass& pass, const To& to) const {
    const auto value = node.find("value"), fields = node.find("struct");
    if (int{node.find("array").has_value()} + int{value.has_value()} + int{fields.has_value()} != 1)
      node.refuse("one of array, value and struct");
    if (!value && !fields) return read_array(node, names, pass, to);
    if (const auto offset = node.find("offset")) offset->refuse("an array beside it");
    for (const BindingNode& one : value ? std::vector{node} : fields_of(*fields)) {
      const std::size_t place = to(pass.dispatch).values.size();
      to(pass.dispatch).values.emplace_back();
      read_value(one, scalar_type(one.at("type")), names, pass,
                 [to, place](ShaderPass& at) -> auto& { return to(at).values[place]; });
    }
  }

  std::vector<BindingNode> fields_of(const BindingNode& name) const {
    const auto structs = document_.node.find("structs");
    const auto found = structs ? structs->find(name.text()) : std::nullopt;
    if (!found) name.refuse("the name of one of \"structs\"");
    auto fields = found->list();
    if (fields.empty()) found->refuse("at least one field");
    for (const BindingNode& field : fields) field.expect_keys({"type", "value"});
    return fields;
  }

  std::string array_name(const BindingNode& node) const {
    std::string name = node.text();
    if (!arrays_.contains(name))
      node.refuse(fmt::format("the name of one of the arrays: {}", fmt::join(arrays_, ", ")));
    document_.bound.insert(name);
    return name;
  }

  std::int64_t lowest() const { return document_.has_operation ? 0 : 1; }

  ShaderDocument& document_;
  const std::set<std::string>& arrays_;
};

}  // namespace

std::string scalar_type(const BindingNode& node) {
  const std::string name = node.text();
  if (find_scalar(name) == nullptr) node.refuse("one of " + scalar_names());
  return name;
}

void read_passes(ShaderDocument& document, const std::vector<std::string>& names, const std::set<std::string>& arrays) {
  document.passes = PassReader(document, arrays).passes(document.node.at("passes"), names);
}

std::string text_of(const MetalExpression& expression, const std::string& type, const MetalVariables& variables) {
  const bool may_be_infinite = type.empty() || is_floating(type);
  const double number = may_be_infinite ? expression.extended_number(variables) : expression.number(variables);
  if (!type.empty() && !holds(*find_scalar(type), number))
    throw std::runtime_error(fmt::format("{} is {:.17g}: expected what {} holds", expression.where(), number, type));
  return fmt::format("{:.17g}", number);
}

metal::Size size_of(const std::vector<MetalExpression>& extents, const MetalVariables& variables, std::int64_t lowest) {
  constexpr std::int64_t longest = (std::int64_t{1} << 32) - 1;
  metal::Size size;
  std::uint64_t* const to[] = {&size.width, &size.height, &size.depth};
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    *to[axis] = whole(extents[axis], variables, lowest, longest);
  return size;
}

}  // namespace assay::validation
