// What the gate judges: anything that maps a CTC problem to losses and gradients.
#pragma once

#include <cmath>
#include <string>

#include "metal/cpu/ctc/any.h"
#include "validation/core/support.h"
#include "validation/ctc/case.h"

namespace assay::validation {

/// How a kernel computes inside. The bound it is held to is derived from this and from the problem
/// (docs/bounds.md): what a kernel does not claim, it is not held to; what it claims, it must keep.
///   probability  sums and products of non-negative numbers whose range does not limit them
///   log_space    ln alpha and ln beta by log-sum-exp
enum class Arithmetic { log_space, probability };

struct CtcKernelInfo {
  std::string name;
  Arithmetic arithmetic = Arithmetic::probability;
  double unit_roundoff = std::ldexp(1.0, -53);  ///< of the arithmetic inside
  /// Whether dL/dlogits is taken from dL/dlog_probs through the softmax, as Eesen does, and not from y - posterior.
  bool two_step = false;
  double output_unit_roundoff = std::ldexp(1.0, -24);  ///< of the type that results are stored in, at least
  bool losses_of_dtype = false;                        ///< losses are stored in the case's type, as its gradient is
  Support support = {};
};

/// How a run is to be done.
struct CtcRequest {
  int threads = 0;  ///< 0: the kernel's own choice
};

class CtcKernel {
 public:
  CtcKernel() = default;
  CtcKernel(const CtcKernel&) = delete;
  CtcKernel& operator=(const CtcKernel&) = delete;
  virtual ~CtcKernel() = default;

  virtual const CtcKernelInfo& info() const = 0;

  /// Fills `out`, or refuses a bad argument by throwing std::invalid_argument that names it.
  /// A gate asks for what info().support claims, and in the property of refusals for anything.
  virtual void run(const metal::AnyCtcProblem& problem, const metal::AnyCtcOutput& out,
                   const CtcRequest& request) const = 0;
};

/// A kernel of float32 activations.
class CtcFloatKernel : public CtcKernel {
 public:
  void run(const metal::AnyCtcProblem& problem, const metal::AnyCtcOutput& out, const CtcRequest& request) const final;

  virtual void run(const reference::CtcProblem<float>& problem, const metal::CtcOutput<float>& out,
                   int threads) const = 0;
};

}  // namespace assay::validation
