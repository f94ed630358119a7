// What the gate judges: anything that maps a CTC problem to losses and gradients.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <variant>

#include "metal/cpu/ctc/any.h"
#include "validation/core/kernel.h"
#include "validation/core/support.h"
#include "validation/ctc/case.h"

namespace assay::validation {

/// A kernel's arithmetic. The bounds on the kernel's errors are derived from the kernel's claims and from the problem
/// (docs/bounds.md); a stronger claim gives tighter bounds.
///   probability  sums and products of non-negative numbers whose range does not limit them
///   log_space    ln alpha and ln beta by log-sum-exp
enum class Arithmetic { log_space, probability };

struct CtcKernelInfo {
  std::string name;
  Arithmetic arithmetic = Arithmetic::probability;
  double unit_roundoff = std::ldexp(1.0, -53);  ///< of the arithmetic inside
  /// Whether dL/dlogits is computed from dL/dlog_probs through the softmax, as in Eesen, and not as y - posterior.
  bool two_step = false;
  /// Whether rounding errors inside are of mean 0 given those before, so that they add up as a random walk does.
  bool random_rounding = false;
  bool batch_invariant = false;                        ///< a row has the same bits whatever B is
  bool nonnegative_loss = false;                       ///< no loss of logits is below 0, by rounding either
  double output_unit_roundoff = std::ldexp(1.0, -24);  ///< at least that of the type that results are stored in
  bool losses_of_dtype = false;                        ///< losses are stored in the case's type, as its gradient is
  /// Whether subnormal float32 and bfloat16 numbers may be read, and become, 0: Metal permits it in every mode.
  bool flushes_subnormals = false;
  Support support = {};
  double largest_activation = 0;  ///< |a| of finite activations; 0: no limit
  double largest_spread = 0;      ///< the largest finite activation of a frame less its smallest; 0: no limit

  double largest_rounding() const { return std::max(unit_roundoff, output_unit_roundoff); }
};

/// Options of a run.
struct CtcRequest {
  int threads = 0;       ///< 0: the kernel's own choice
  bool aligned = false;  ///< arrays of plug-ins begin at multiples of 64 bytes
  int layout = 0;        ///< of the inputs of functions in Python (core/layouts.h)
};

using CtcKernel = BasicKernel<CtcKernelInfo, metal::AnyCtcProblem, metal::AnyCtcOutput, CtcRequest>;

/// A kernel of float32 activations.
class CtcFloatKernel : public CtcKernel {
 public:
  void run(const metal::AnyCtcProblem& problem, const metal::AnyCtcOutput& out, const CtcRequest& request) const final {
    const auto* const activations = std::get_if<std::span<const float>>(&problem.activations);
    const auto* const gradient = std::get_if<std::span<float>>(&out.gradient);
    if (activations == nullptr || gradient == nullptr) throw Unsupported::not_claimed("do other types than float32");
    reference::CtcProblem<float> whole = problem.options;
    whole.activations = *activations;
    run(whole, {out.loss, *gradient}, request.threads);
  }

  virtual void run(const reference::CtcProblem<float>& problem, const metal::CtcOutput<float>& out,
                   int threads) const = 0;
};

}  // namespace assay::validation
