#include "validation/ctc/cpu_kernel.h"

#include "metal/cpu/ctc/loss.h"

namespace assay::validation {
namespace {

/// The kernel of metal/cpu: probabilities in float64 with an exponent per state, losses stored as float32.
class CpuKernel : public CtcKernel {
 public:
  const CtcKernelInfo& info() const override { return info_; }

  void run(const metal::AnyCtcProblem& problem, const metal::AnyCtcOutput& out,
           const CtcRequest& request) const override {
    metal::with_types(problem, out, [&](const auto& typed, const auto& output) {
      metal::ctc_loss(typed, output, {.threads = request.threads});
    });
  }

 private:
  CtcKernelInfo info_{
      .name = "cpu",
      .arithmetic = Arithmetic::probability,
      .random_rounding = true,
      .batch_invariant = true,
      .nonnegative_loss = true,
      .support = {
          .dtypes = {Dtype::float32, Dtype::float16, Dtype::bfloat16}, .takes_views = true, .can_be_forked = true}};
};

}  // namespace

std::shared_ptr<const CtcKernel> cpu_ctc_kernel() {
  return std::make_shared<CpuKernel>();
}

}  // namespace assay::validation
