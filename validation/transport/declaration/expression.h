// Sizes and values of a binding: expressions over the dimensions of a problem, such as "32 * ceil_div(C, 4)".
//
// What muparser takes: + - * / ^, comparisons, && and ||, c ? a : b, min(...), max(...), abs, sqrt, ln, and besides
// floor, ceil, ceil_div(a, b), round_up(a, multiple). Division is that of real numbers: sizes say floor or ceil_div.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace assay::validation::transport {

/// Dimensions and options of a problem by name.
using MetalVariables = std::map<std::string, double>;

class MetalExpression {
 public:
  /// Throws std::invalid_argument for a text that is no expression over `names`; `where` is its place in the binding.
  MetalExpression(std::string where, std::string text, const std::vector<std::string>& names);

  /// Not for two threads at once. Throws std::runtime_error where it is not a finite number; all names must be there.
  double number(const MetalVariables& variables) const;

  /// Throws std::runtime_error where it is not an integer of [lowest, highest], or beyond 2^53.
  std::int64_t integer(const MetalVariables& variables, std::int64_t lowest, std::int64_t highest) const;

  const std::string& where() const { return where_; }

 private:
  class Parser;
  [[noreturn]] void refuse(double value, const MetalVariables& variables, const std::string& expected) const;

  std::string where_, text_;
  std::shared_ptr<Parser> parser_;
};

}  // namespace assay::validation::transport
