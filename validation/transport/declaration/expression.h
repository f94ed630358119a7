// Sizes and values of a binding: expressions over the dimensions of a problem, such as "32 * ceil_div(C, 4)".
//
// Syntax of muparser: + - * / ^, comparisons, && and ||, c ? a : b, min(...), max(...), abs, sqrt, ln, and in addition
// floor, ceil, ceil_div(a, b), round_up(a, multiple). Division is that of real numbers: sizes need floor or ceil_div.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay::validation::transport {

/// Dimensions and options of a problem by name.
using MetalVariables = std::map<std::string, double>;

class MetalExpression {
 public:
  /// Throws std::invalid_argument for a text other than an expression over `names`; `where`: its place in the binding.
  MetalExpression(std::string where, std::string text, const std::vector<std::string>& names);

  /// Not thread-safe. Throws std::runtime_error if the value is not a finite number. `variables` must hold all names.
  double number(const MetalVariables& variables) const;

  /// The same, but it may be infinite: "-1/0".
  double extended_number(const MetalVariables& variables) const;

  /// Throws std::runtime_error if the value is not an integer in [lowest, highest] or exceeds 2^53.
  std::int64_t integer(const MetalVariables& variables, std::int64_t lowest, std::int64_t highest) const;

  const std::string& where() const { return where_; }

 private:
  class Parser;
  [[noreturn]] void refuse(double value, const MetalVariables& variables, const std::string& expected) const;

  std::string where_, text_;
  std::optional<double> constant_;  ///< of a text that is a number: it needs no parser
  std::shared_ptr<Parser> parser_;
};

}  // namespace assay::validation::transport
