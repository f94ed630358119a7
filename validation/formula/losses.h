// Which operations of a formula made the error of its outputs, when it is evaluated in a number format.
//
// The error of a value is the rounding of its operation and, to first order, each operand's error times the slope
// (slopes.h). It is divided as that of a shader: metal/emulator/numerics/losses.h, docs/numerics.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/formula/computed.h"

namespace assay::validation::formula {

/// The worst element of an output.
struct OutputLoss {
  std::size_t output = 0, element = 0;
  double computed = 0;
  std::string exact;
  double lost_bits = 0;  ///< log2 of the relative error in units of the roundoff
};

/// The operations of one expression in one line of the formula.
struct Loss {
  ExplainedOperation operation;  ///< where the relative error grew most
  double share = 0;      ///< of the error of the elements that lost more than half of their digits, or of all if none
  double lost_bits = 0;  ///< log2 of that growth
};

struct FormulaLosses {
  std::int64_t large = 0;  ///< output elements that lost more than half of their digits
  std::vector<OutputLoss> outputs;
  std::vector<Loss> losses;  ///< by falling share: those of half a percent or two bits, as of a shader's lines
};

FormulaLosses losses_of(const Computed& computed);

}  // namespace assay::validation::formula
