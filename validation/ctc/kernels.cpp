// This project's own kernels, as the gate judges them.
#include "validation/ctc/operation.h"

#include "metal/cpu/ctc/loss.h"
#include "validation/ctc/metal_kernel.h"

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
  CtcKernelInfo info_{.name = "cpu",
                      .arithmetic = Arithmetic::probability,
                      .support = {.dtypes = {Dtype::float32, Dtype::float16, Dtype::bfloat16}, .takes_views = true}};
};

}  // namespace

std::shared_ptr<const CtcKernel> CtcOperation::shipped_kernel(const std::string& name) {
  if (name == "cpu") return std::make_shared<CpuKernel>();
  if (const auto device = device_in(name); !device.empty()) return metal_ctc_kernel({.name = name, .device = device});
  if (name == "metal-plain") return metal_ctc_kernel({.name = name, .path = metal::CtcPath::plain});
  return nullptr;
}

}  // namespace assay::validation
