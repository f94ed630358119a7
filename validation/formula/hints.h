// What a kernel would have to declare where one of its results is beyond its bound.
#pragma once

#include <string>

#include "validation/formula/problem.h"

namespace assay::validation::formula {

/// Element `element` of a result, the node `node`.
struct Excess {
  std::int32_t node = 0;
  std::size_t element = 0;
  double got = 0;    ///< from the kernel
  double error = 0;  ///< of it
  double bound = 0;  ///< which the error exceeds
};

/// "\n  if the kernel keeps p in bfloat16, declare rounds={'p': 'bfloat16'}", or another declaration that would explain
/// the error. Empty where none would.
std::string hint_for(const Traced& traced, const Excess& excess, const Doubles& values, const Arithmetic& arithmetic);

}  // namespace assay::validation::formula
