#include "validation/transport/declaration/expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "validation/core/parse.h"

namespace assay::validation::transport {
namespace {

/// Double holds every integer up to this number exactly.
constexpr double largest_integer = 0x1p53;

double ceil_div(double a, double b) {
  return std::ceil(a / b);
}
double round_up(double a, double multiple) {
  return std::ceil(a / multiple) * multiple;
}

}  // namespace

class MetalExpression::Parser {
 public:
  Parser(const std::string& text, const std::vector<std::string>& names) {
    parser_.DefineFun("floor", static_cast<mu::fun_type1>(std::floor));
    parser_.DefineFun("ceil", static_cast<mu::fun_type1>(std::ceil));
    parser_.DefineFun("ceil_div", ceil_div);
    parser_.DefineFun("round_up", round_up);
    for (const auto& name : names) parser_.DefineVar(name, &values_[name]);
    parser_.SetExpr(text);
    for (const auto& [name, place] : parser_.GetUsedVar()) used_.push_back(name);
    parser_.Eval();  // checks the syntax
  }

  double eval(const MetalVariables& variables) {
    for (const auto& name : used_) values_.at(name) = variables.at(name);
    return parser_.Eval();
  }

  const std::vector<std::string>& used() const { return used_; }

 private:
  mu::Parser parser_;
  MetalVariables values_;  ///< the parser holds pointers to these values
  std::vector<std::string> used_;
};

MetalExpression::MetalExpression(std::string where, std::string text, const std::vector<std::string>& names)
    : where_(std::move(where)), text_(std::move(text)), constant_(parse_number<double>(text_)) {
  if (constant_) return;
  try {
    parser_ = std::make_shared<Parser>(text_, names);
  } catch (const mu::Parser::exception_type& problem) {
    std::string message = problem.GetMsg();
    if (message.ends_with('.')) message.pop_back();
    throw std::invalid_argument(
        fmt::format("{} = \"{}\": {}: expected an expression over {}", where_, text_, message, fmt::join(names, ", ")));
  }
}

double MetalExpression::number(const MetalVariables& variables) const {
  const double value = constant_ ? *constant_ : parser_->eval(variables);
  if (!std::isfinite(value)) refuse(value, variables, "a finite number");
  return value;
}

double MetalExpression::extended_number(const MetalVariables& variables) const {
  const double value = constant_ ? *constant_ : parser_->eval(variables);
  if (std::isnan(value)) refuse(value, variables, "a number");
  return value;
}

std::int64_t MetalExpression::integer(const MetalVariables& variables, std::int64_t lowest,
                                      std::int64_t highest) const {
  const double value = constant_ ? *constant_ : parser_->eval(variables);
  const double least = std::max(static_cast<double>(lowest), -largest_integer);
  const double most = std::min(static_cast<double>(highest), largest_integer);
  const bool is_such = value >= least && value <= most && value == std::trunc(value);
  if (!is_such) refuse(value, variables, fmt::format("an integer from {:.0f} to {:.0f}", least, most));
  return static_cast<std::int64_t>(value);
}

void MetalExpression::refuse(double value, const MetalVariables& variables, const std::string& expected) const {
  if (constant_) throw std::runtime_error(fmt::format("{} = {}: expected {}", where_, text_, expected));
  std::string at;
  for (const auto& name : parser_->used())
    at += fmt::format("{}{}={:.17g}", at.empty() ? " at " : ", ", name, variables.at(name));
  throw std::runtime_error(fmt::format("{} = \"{}\" is {:.17g}{}: expected {}", where_, text_, value, at, expected));
}

}  // namespace assay::validation::transport
