#include "validation/transport/declaration/binding_node.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "metal/device/read_file.h"
#include "validation/core/parse_json.h"

namespace assay::validation::transport {

using nlohmann::ordered_json;

struct BindingNode::Document {
  std::string file;
  ordered_json json;
};

BindingNode::BindingNode(std::shared_ptr<const Document> document, const ordered_json& value, std::string path)
    : document_(std::move(document)), value_(&value), path_(std::move(path)) {}

BindingNode BindingNode::read(const std::filesystem::path& path) {
  const auto text = metal::read_named_text(path);
  if (!text)
    throw std::invalid_argument(
        fmt::format("{}: expected a file that can be read: {}", path.string(), text.error().text));
  return of(*text, path.string());
}

BindingNode BindingNode::of(const std::string& json, const std::string& name) {
  auto document = std::make_shared<Document>();
  document->file = name;
  document->json = parse_json<ordered_json>(json, name);
  BindingNode root(document, document->json, "");
  root.expect_object();
  return root;
}

std::string BindingNode::where() const {
  return path_.empty() ? document_->file : fmt::format("{}: {}", document_->file, path_);
}

void BindingNode::refuse(const std::string& expected) const {
  constexpr std::size_t longest = 100;
  std::string value = value_->dump();
  if (value.size() > longest) value = value.substr(0, longest) + "...";
  throw std::invalid_argument(fmt::format("{} = {}: expected {}", where(), value, expected));
}

void BindingNode::expect_object() const {
  if (!value_->is_object()) refuse("an object");
}

BindingNode BindingNode::member(const std::string& key, const ordered_json& value) const {
  return {document_, value, path_.empty() ? key : fmt::format("{}.{}", path_, key)};
}

std::optional<BindingNode> BindingNode::find(const std::string& key) const {
  expect_object();
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return member(key, *found);
}

BindingNode BindingNode::at(const std::string& key) const {
  if (auto found = find(key)) return *found;
  throw std::invalid_argument(fmt::format("{}: '{}' is missing: docs/plugins-metal.md has every key", where(), key));
}

std::vector<BindingNode> BindingNode::list() const {
  if (!value_->is_array()) refuse("a list");
  std::vector<BindingNode> nodes;
  for (const auto& one : *value_) nodes.push_back({document_, one, fmt::format("{}[{}]", path_, nodes.size())});
  return nodes;
}

std::vector<std::pair<std::string, BindingNode>> BindingNode::members() const {
  expect_object();
  std::vector<std::pair<std::string, BindingNode>> nodes;
  for (const auto& [key, value] : value_->items()) nodes.emplace_back(key, member(key, value));
  return nodes;
}

std::string BindingNode::text() const {
  if (!value_->is_string()) refuse("a text");
  return value_->get<std::string>();
}

std::string BindingNode::word() const {
  if (value_->is_number() || value_->is_boolean()) return value_->dump();
  return text();
}

bool BindingNode::flag() const {
  if (!value_->is_boolean()) refuse("true or false");
  return value_->get<bool>();
}

std::int64_t BindingNode::integer(std::int64_t lowest, std::int64_t highest) const {
  const std::string expected = fmt::format("an integer from {} to {}", lowest, highest);
  if (!value_->is_number_integer() || (value_->is_number_unsigned() && *value_ > highest)) refuse(expected);
  const auto value = value_->get<std::int64_t>();
  if (value < lowest || value > highest) refuse(expected);
  return value;
}

double BindingNode::number() const {
  return expression({}).number({});
}

MetalExpression BindingNode::expression(const std::vector<std::string>& names) const {
  if (value_->is_string()) return {where(), value_->get<std::string>(), names};
  if (value_->is_number()) return {where(), value_->dump(), names};
  refuse("a number or an expression in a text");
}

void BindingNode::expect_keys(const std::set<std::string>& keys) const {
  for (const auto& [key, value] : members())
    if (!keys.contains(key))
      throw std::invalid_argument(fmt::format("{} = {}: unknown: expected one of {}", value.where(),
                                              value.value_->dump(), fmt::join(keys, ", ")));
}

}  // namespace assay::validation::transport
