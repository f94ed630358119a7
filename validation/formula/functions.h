// What bounds need of each elementwise function y = f(x) of a formula, a row for each: docs/bounds.md, "Functions of
// formulas".
#pragma once

#include "validation/formula/element_errors.h"

namespace assay::validation::formula {

struct Function {
  Op op;
  double range;                            ///< the largest |y|; no_range where there is none
  double (*slope)(double x, double y);     ///< dy/dx
  double (*carried)(Operand x, double y);  ///< a bound on |f(x + d) - y| for all |d| <= the error of x
  double roundings = 0;                    ///< of the result by arithmetic
  double exp_errors = 0;                   ///< of the result by a function, in units of Arithmetic::exp_error
  /// A bound on |f(x + d) - y - d dy/dx| where `carried` less |dy/dx| times the error of x is none.
  double (*curvature)(Operand x, double y) = nullptr;
  double inner_roundings = 0;  ///< of the argument, which may be scaled first: exp(x) as 2^(x log2 e)
};

const Function& function_of(Op op);

}  // namespace assay::validation::formula
