// Reads a binding's JSON strictly: a refusal names the key, its value and what was expected; unknown keys are refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "validation/transport/declaration/expression.h"

namespace assay::validation::transport {

/// A value of the document and its place: "passes[1].grid[0]". Keeps the document alive.
class BindingNode {
 public:
  /// The whole document. Throws std::invalid_argument if the file cannot be read or is not a JSON object.
  static BindingNode read(const std::filesystem::path& path);

  /// The document in a text; `name` replaces the file in messages.
  static BindingNode of(const std::string& json, const std::string& name);

  std::optional<BindingNode> find(const std::string& key) const;
  BindingNode at(const std::string& key) const;  ///< refuses a missing key
  std::vector<BindingNode> list() const;
  std::vector<std::pair<std::string, BindingNode>> members() const;

  std::string text() const;
  std::string word() const;  ///< a text, or a number, true or false as one
  bool flag() const;
  std::int64_t integer(std::int64_t lowest, std::int64_t highest) const;
  double number() const;                                                    ///< or an expression without names: "2^-24"
  MetalExpression expression(const std::vector<std::string>& names) const;  ///< a number or a text

  /// Refuses members of other names.
  void expect_keys(const std::set<std::string>& keys) const;

  /// "mine.json: passes[1].grid = 7: expected a list".
  [[noreturn]] void refuse(const std::string& expected) const;
  std::string where() const;  ///< "mine.json: passes[1].grid"

 private:
  struct Document;
  BindingNode(std::shared_ptr<const Document> document, const nlohmann::ordered_json& value, std::string path);

  void expect_object() const;
  BindingNode member(const std::string& key, const nlohmann::ordered_json& value) const;

  std::shared_ptr<const Document> document_;
  const nlohmann::ordered_json* value_;
  std::string path_;
};

}  // namespace assay::validation::transport
