// What the gate judges: anything that maps a linear cross-entropy problem to losses and gradients.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "metal/cpu/cce/any.h"
#include "validation/cce/case.h"
#include "validation/core/kernel.h"
#include "validation/core/support.h"

namespace assay::validation {

/// A kernel's claims about its arithmetic. The bounds on the kernel's errors are derived from these claims and from the
/// problem (docs/bounds.md); a stronger claim gives tighter bounds.
struct CceKernelInfo {
  std::string name;
  double unit_roundoff = std::ldexp(1.0, -24);  ///< of the arithmetic inside: logits, exponentials, sums
  /// The largest number of additions that a term of a long sum passes through, for sums by blocks. 0: no claim.
  std::int64_t longest_chain = 0;
  /// The unit roundoff of the sums within a loss: the exponentials of a token, the logits that label smoothing adds,
  /// the losses of all tokens. 0: unit_roundoff.
  double sum_roundoff = 0;
  double exp_error = 4;  ///< of exp, log and tanh, in units of unit_roundoff
  /// How often dL/dz, a factor of the gradients, is rounded to bfloat16 if hidden and weight are of that type.
  int bfloat16_roundings = 0;
  /// Whether lse is rounded to one number, from which logits are subtracted, so that digits common to all logits are
  /// lost.
  bool rounded_lse = false;
  bool batch_invariant = false;  ///< a token's loss and dhidden have the same bits whatever N is
  /// Whether subnormal float32 and bfloat16 numbers may be read, and become, 0: Metal permits it in every mode.
  bool flushes_subnormals = false;
  std::vector<std::int64_t> chunks;  ///< the sizes of vocabulary chunks that a request may ask for
  Support support = {.dtypes = {Dtype::float32, Dtype::float16, Dtype::bfloat16}};

  /// The largest rounding of one value in a problem of the type.
  double largest_rounding(Dtype dtype) const {
    const double of_gradient = bfloat16_roundings * format_of(Dtype::bfloat16).roundoff;
    return std::max({unit_roundoff, sum_roundoff, exp_error * unit_roundoff, of_gradient, format_of(dtype).roundoff});
  }
};

/// Options of a run.
struct CceRequest {
  int threads = 0;         ///< 0: the kernel's own choice
  std::int64_t chunk = 0;  ///< one of info().chunks; 0: the kernel's own choice
  bool in_halves = false;  ///< forward, then backward from the state that forward left
  bool aligned = false;    ///< arrays of plug-ins begin at multiples of 64 bytes
  int layout = 0;          ///< of the inputs of functions in Python (core/layouts.h)
};

using CceKernel = BasicKernel<CceKernelInfo, metal::AnyCceProblem, metal::AnyCceOutput, CceRequest>;

}  // namespace assay::validation
