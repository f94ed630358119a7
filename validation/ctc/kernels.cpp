// This project's own kernels, as the gate judges them. That for CPUs is in cpu_kernel.cpp.
#include "validation/ctc/kernels.h"

#include <optional>
#include <utility>

#include "metal/device/or_throw.h"
#include "validation/ctc/cpu_kernel.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

CtcKernelInfo info_of(const OnDevice<metal::CtcOptions>& on) {
  CtcKernelInfo info{.name = on.name,
                     .unit_roundoff = 0x1p-24,
                     .random_rounding = true,
                     .batch_invariant = true,
                     .flushes_subnormals = true};
  info.support.reach = reach_on(on.device);
  if (!on.edit) info.support.dtypes = {Dtype::float32, Dtype::float16, Dtype::bfloat16};
  if (on.host.path == metal::CtcPath::production) return info;
  info.arithmetic = Arithmetic::log_space;
  info.two_step = true;
  return info;
}

class MetalCtcKernel final : public CtcKernel {
 public:
  explicit MetalCtcKernel(OnDevice<metal::CtcOptions> on)
      : info_(info_of(on)), options_(std::move(on.host)), library_(on.device, "ctc/ctc.metal", on.edit) {}

  const CtcKernelInfo& info() const override { return info_; }

  void run(const metal::AnyCtcProblem& problem, const metal::AnyCtcOutput& out,
           const CtcRequest& /*request*/) const override {
    metal::with_types(problem, out, [&](const auto& typed, const auto& output) {
      library_.run([&](const auto& device, const auto& library) {
        if (!loss_) loss_ = or_throw(metal::CtcLoss::create(device, library, options_));
        or_throw((*loss_)(typed, output));
      });
    });
  }

 private:
  CtcKernelInfo info_;
  metal::CtcOptions options_;
  DeviceLibrary library_;
  mutable std::optional<metal::CtcLoss> loss_;
};

}  // namespace

std::shared_ptr<const CtcKernel> metal_ctc_kernel(OnDevice<metal::CtcOptions> on) {
  return std::make_shared<MetalCtcKernel>(std::move(on));
}

std::shared_ptr<const CtcKernel> CtcOperation::shipped_kernel(const std::string& name) {
  if (name == "cpu") return cpu_ctc_kernel();
  if (const auto device = device_in(name); !device.empty()) return metal_ctc_kernel({.name = name, .device = device});
  if (name == "metal-plain") return metal_ctc_kernel({.name = name, .host = {.path = metal::CtcPath::plain}});
  return nullptr;
}

}  // namespace assay::validation
