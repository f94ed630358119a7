#include "validation/shader/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <stdexcept>

#include "validation/shader/document_passes.h"
#include "validation/shader/scalar.h"
#include "validation/transport/declaration/shader_keys.h"

namespace assay::validation {
namespace {

using Names = std::vector<std::string>;

std::set<std::string> with_common_keys(std::set<std::string> keys) {
  keys.insert({"name", "source", "metal_version", "macros", "include_folders", "linked_files", "scratch", "fill",
               "constants", "structs", "step_limit", "passes"});
  return keys;
}

const ShaderArrayOffer* find_offer(const ShaderInterface& interface, const std::string& array) {
  const auto found = std::ranges::find(interface.arrays, array, &ShaderArrayOffer::name);
  return found == interface.arrays.end() ? nullptr : &*found;
}

Dtype declared_dtype(const BindingNode& node) {
  const auto dtype = node.find("dtype");
  if (!dtype) return Dtype::float32;
  for (const Dtype one : {Dtype::float32, Dtype::float16, Dtype::bfloat16})
    if (dtype->text() == name_of(one)) return one;
  dtype->refuse("float32, float16 or bfloat16");
}

/// Reads the type of an array. An input of the file's dtype has no other type, which would lose digits.
void read_type(const ShaderArrayOffer& offer, const BindingNode& node, std::string& type) {
  if (offer.type.empty() && !offer.is_output) node.refuse("no type here, but dtype, which its elements have");
  const std::string given = scalar_type(node);
  const bool has_fractions = is_floating(type);
  if (is_floating(given) != has_fractions || given == "bool")
    node.refuse(has_fractions ? "float, half or bfloat" : "an integer type, as indices and lengths have");
  type = given;
}

void read_types(const ShaderInterface& interface, ShaderDocument& document) {
  document.dtype = declared_dtype(document.node);
  for (const auto& offer : interface.arrays)
    document.types[offer.name] = offer.type.empty() ? scalar_of_numpy(name_of(document.dtype)) : offer.type;
  const auto types = document.node.find("types");
  if (!types) return;
  for (const auto& [array, type] : types->members()) {
    const ShaderArrayOffer* const offer = find_offer(interface, array);
    if (offer == nullptr) type.refuse("the type of an array of " + interface.operation);
    read_type(*offer, type, document.types.at(array));
  }
}

/// Refuses a name that is among `taken`, and adds the others.
void read_scratch(const Names& names, ShaderDocument& document, std::set<std::string>& taken) {
  const auto scratch = document.node.find("scratch");
  if (!scratch) return;
  for (const auto& [name, one] : scratch->members()) {
    one.expect_keys({"type", "elements"});
    if (!taken.insert(name).second) one.refuse("a name that no other array has");
    document.scratch.emplace(name, DocumentScratch{scalar_type(one.at("type")), one.at("elements").expression(names)});
  }
}

void read_fill(const Names& names, const std::set<std::string>& outputs, ShaderDocument& document) {
  const auto fill = document.node.find("fill");
  if (!fill) return;
  for (const auto& [name, one] : fill->members()) {
    if (!outputs.contains(name) && !document.scratch.contains(name))
      one.refuse("the value of an output or a scratch array");
    document.fill.emplace(name, one.expression(names));
  }
}

/// What files of both kinds have. `arrays` are those that a pass may take besides scratch; a file may fill `outputs`.
void read_common(const std::filesystem::path& folder, const Names& names, std::set<std::string> arrays,
                 const std::set<std::string>& outputs, ShaderDocument& document) {
  document.script.language = transport::read_language(document.node, folder);
  read_scratch(names, document, arrays);
  read_fill(names, outputs, document);
  if (const auto limit = document.node.find("step_limit")) document.step_limit = limit->expression(names);
  read_passes(document, names, arrays);
  document.script.source = transport::read_source(document.node, folder);
}

void read_own_extents(const MetalVariables& replaced, Names& names, ShaderDocument& document) {
  if (const auto extents = document.node.find("extents"))
    for (const auto& [name, value] : extents->members()) {
      const auto other = replaced.find(name);
      document.extents[name] =
          other != replaced.end() ? other->second : value.expression(names).number(document.extents);
      names.push_back(name);
    }
  for (const auto& [name, value] : replaced)
    if (!document.extents.contains(name))
      throw std::invalid_argument(fmt::format("--extent {}={}: expected one of \"extents\" of {}: {}", name, value,
                                              document.node.where(), fmt::join(names, ", ")));
}

/// Paths are relative to `folder`; what is in braces in other words is an expression.
std::string read_words(const BindingNode& node, const std::filesystem::path& folder, const Names& names,
                       const MetalVariables& extents) {
  std::string words = node.word();
  if (words.starts_with("file:")) return "file:" + (folder / words.substr(5)).string();
  if (words.ends_with(".npy")) return (folder / words).string();
  for (auto open = words.find('{'); open != std::string::npos; open = words.find('{')) {
    const auto close = words.find('}', open);
    if (close == std::string::npos) node.refuse("a } behind each {");
    const MetalExpression expression(node.where(), words.substr(open + 1, close - open - 1), names);
    words.replace(open, close + 1 - open, fmt::format("{:.17g}", expression.number(extents)));
  }
  return words;
}

void read_outputs(const std::filesystem::path& folder, ShaderDocument& document) {
  const auto outputs = document.node.find("outputs");
  if (!outputs) return;
  for (const auto& [name, file] : outputs->members()) {
    if (!file.text().ends_with(".npy")) file.refuse("the path of a .npy file");
    document.script.outputs[name] = folder / file.text();
  }
}

}  // namespace

ShaderDocument read_document(const std::filesystem::path& path, const ShaderInterface& interface) {
  ShaderDocument document{.node = BindingNode::read(path), .has_operation = true};
  document.node.expect_keys(with_common_keys({"operation", "dtype", "declares", "support", "host_validates", "types"}));
  if (const auto operation = document.node.at("operation"); operation.text() != interface.operation)
    operation.refuse(fmt::format("\"{}\", as this gate judges", interface.operation));
  if (const auto validates = document.node.find("host_validates")) document.host_validates = validates->flag();
  read_types(interface, document);
  std::set<std::string> arrays, outputs;
  for (const auto& offer : interface.arrays) {
    arrays.insert(offer.name);
    if (offer.is_output) outputs.insert(offer.name);
  }
  read_common(path.parent_path(), interface.variables, arrays, outputs, document);
  return document;
}

ShaderDocument read_document(const std::filesystem::path& path, const MetalVariables& extents) {
  const std::filesystem::path folder = path.parent_path();
  ShaderDocument document{.node = BindingNode::read(path)};
  if (const auto operation = document.node.find("operation"))
    operation->refuse(
        fmt::format("a file with arrays of its own; `assay gate {} --kernel {}` draws arrays for this one",
                    operation->text(), path.string()));
  document.node.expect_keys(with_common_keys({"extents", "seed", "arrays", "outputs"}));
  Names names;
  read_own_extents(extents, names, document);
  constexpr std::int64_t largest_seed = std::int64_t{1} << 53;
  if (const auto seed = document.node.find("seed"))
    document.script.seed = static_cast<std::uint64_t>(seed->integer(0, largest_seed));
  std::set<std::string> arrays;
  for (const auto& [name, words] : document.node.at("arrays").members()) {
    document.script.arrays[name] = read_words(words, folder, names, document.extents);
    arrays.insert(name);
  }
  read_outputs(folder, document);
  read_common(folder, names, arrays, {}, document);
  return document;
}

}  // namespace assay::validation
