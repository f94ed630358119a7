// This project's own kernels, as the gate judges them.
#include "validation/cce/operation.h"

#include <span>
#include <vector>

#include "metal/cpu/cce/tuning.h"
#include "validation/cce/metal_kernel.h"

namespace assay::validation {

namespace {

/// The kernel of metal/cpu, with float32 products, exponentials and sums.
class CpuCceKernel : public CceKernel {
 public:
  const CceKernelInfo& info() const override { return info_; }

  void run(const metal::AnyCceProblem& problem, const metal::AnyCceOutput& out,
           const CceRequest& request) const override {
    const metal::CceCpuOptions options{.threads = request.threads};
    metal::cpu::CceTuning tuning;
    if (request.chunk > 0) tuning.chunk = request.chunk;
    metal::with_types(
        problem, out, [&]<class Real>(const CceProblem<Real>& typed, const metal::CceOutput<Real>& output) {
          if (!request.in_halves) return metal::cpu::cce_loss(typed, output, options, tuning);
          std::vector<double> log_sum_exp(typed.targets.size());
          metal::cpu::cce_forward(typed, output.loss, std::span(log_sum_exp), options, tuning);
          metal::cpu::cce_backward(typed, std::span<const double>(log_sum_exp), output.gradients, options, tuning);
        });
  }

 private:
  CceKernelInfo info_{.name = "cpu",
                      .sum_roundoff = 0x1p-53,
                      .bfloat16_roundings = 2,
                      .chunks = {16, 48, 768},
                      .support = {.dtypes = {Dtype::float32, Dtype::float16, Dtype::bfloat16}, .takes_views = true}};
};

}  // namespace

std::shared_ptr<const CceKernel> CceOperation::shipped_kernel(const std::string& name) {
  if (name == "cpu") return std::make_shared<CpuCceKernel>();
  if (const auto device = device_in(name); !device.empty()) return metal_cce_kernel({.name = name, .device = device});
  if (name == "metal-plain") return metal_cce_kernel({.name = name, .path = metal::CcePath::plain});
  return nullptr;
}

}  // namespace assay::validation
