// Faults of float16 and bfloat16: the project's CPU kernel with an error in the storing of gradients.
#include <cmath>
#include <vector>

#include "metal/cpu/ctc/loss.h"
#include "validation/ctc/faults/faults.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

std::shared_ptr<const CtcKernel> cpu_kernel() {
  static const auto kernel = CtcOperation::shipped_kernel("cpu");
  return kernel;
}

class GradientTruncated final : public RenamedKernel<CtcKernel> {
 public:
  static constexpr FaultNote note{"gradient-truncated", "gradients of 16 bits are cut off, not rounded", "gradient"};

  GradientTruncated() { info_ = cpu_kernel()->info(); }

  void run(const metal::AnyCtcProblem& problem, const metal::AnyCtcOutput& out,
           const CtcRequest& request) const override {
    metal::with_types(problem, out, [&]<class Real>(const CtcProblem<Real>& typed, const metal::CtcOutput<Real>& to) {
      metal::ctc_loss(typed, to, {.threads = request.threads});
      if constexpr (sizeof(Real) == 2) truncate(problem, typed, to, request);
    });
  }

 private:
  template <class Real>
  static void truncate(const metal::AnyCtcProblem& problem, const CtcProblem<Real>& typed,
                       const metal::CtcOutput<Real>& out, const CtcRequest& request) {
    const std::vector<float> activations(typed.activations.begin(), typed.activations.end());
    std::vector<float> loss(out.loss.size()), gradient(out.gradient.size());
    CtcProblem<float> wide = problem.options;
    wide.activations = activations;
    metal::ctc_loss(wide, {loss, gradient}, {.threads = request.threads});
    for (std::size_t i = 0; i < gradient.size(); ++i)
      if (std::abs(static_cast<float>(out.gradient[i])) > std::abs(gradient[i]))
        out.gradient[i] = Real::from_bits(static_cast<std::uint16_t>(out.gradient[i].bits - 1));
  }
};

}  // namespace

std::vector<CtcFault> half_type_faults() {
  return plant_all<CtcOperation, GradientTruncated>(cpu_kernel());
}

}  // namespace assay::validation
