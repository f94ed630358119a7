// What the gate judges: anything that maps a linear cross-entropy problem to losses and gradients.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "metal/cpu/cce/any.h"
#include "validation/cce/case.h"
#include "validation/core/support.h"

namespace assay::validation {

/// How a kernel computes inside. The bound it is held to is derived from this and from the problem (docs/bounds.md):
/// what a kernel does not claim, it is not held to; what it claims, it must keep.
struct CceKernelInfo {
  std::string name;
  double unit_roundoff = std::ldexp(1.0, -24);  ///< of the arithmetic inside: logits, exponentials, sums
  /// The most additions that a term of a sum passes through, for sums longer than that: sums by blocks. 0: not said.
  std::int64_t longest_chain = 0;
  double exp_error = 4;  ///< of exp, log and tanh, in units of roundoff
  /// How often the factors of the gradients' products, dL/dz of each token and word, are rounded to bfloat16 where that
  /// is the type of hidden and weight.
  int bfloat16_roundings = 0;
  std::vector<std::int64_t> chunks;  ///< sizes of vocabulary chunks that it can be told to take
  Support support = {.dtypes = {Dtype::float32, Dtype::float16, Dtype::bfloat16}};
};

/// How a run is to be done.
struct CceRequest {
  int threads = 0;         ///< 0: the kernel's own choice
  std::int64_t chunk = 0;  ///< one of info().chunks; 0: the kernel's own choice
  bool in_halves = false;  ///< forward, then backward from what it left
};

class CceKernel {
 public:
  CceKernel() = default;
  CceKernel(const CceKernel&) = delete;
  CceKernel& operator=(const CceKernel&) = delete;
  virtual ~CceKernel() = default;

  virtual const CceKernelInfo& info() const = 0;

  /// Fills `out`, or refuses a bad argument by throwing std::invalid_argument that names it.
  /// A gate asks for what info().support claims, and in the property of refusals for anything.
  virtual void run(const metal::AnyCceProblem& problem, const metal::AnyCceOutput& out,
                   const CceRequest& request) const = 0;
};

}  // namespace assay::validation
