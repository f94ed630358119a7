#include "validation/ctc/metal_kernel.h"

#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "metal/device/or_throw.h"
#include "validation/core/kernel_device.h"

namespace assay::validation {
namespace {

CtcKernelInfo info_of(const MetalCtcOptions& options) {
  CtcKernelInfo info{
      .name = options.name, .unit_roundoff = std::ldexp(1.0, -24), .random_rounding = true, .flushes_subnormals = true};
  info.support.reach = reach_on(options.device);
  if (!options.edit) info.support.dtypes = {Dtype::float32, Dtype::float16, Dtype::bfloat16};
  if (options.path == metal::CtcPath::production) return info;
  info.arithmetic = Arithmetic::log_space;
  info.two_step = true;
  return info;
}

class MetalCtcKernel final : public CtcKernel {
 public:
  explicit MetalCtcKernel(MetalCtcOptions options) : options_(std::move(options)), info_(info_of(options_)) {}

  const CtcKernelInfo& info() const override { return info_; }

  void run(const metal::AnyCtcProblem& problem, const metal::AnyCtcOutput& out,
           const CtcRequest& /*request*/) const override {
    const std::lock_guard lock(mutex_);
    if (!loss_) start();
    metal::with_types(problem, out, [&](const auto& typed, const auto& output) { or_throw((*loss_)(typed, output)); });
    throw_reports(*device_);
  }

 private:
  void start() const {
    device_ = kernel_device(options_.device, options_.edit);
    const metal::CtcOptions options{.path = options_.path, .min_states = options_.min_states};
    loss_ =
        or_throw(metal::CtcLoss::create(device_, kernel_library(*device_, "ctc/ctc.metal", options_.edit), options));
  }

  MetalCtcOptions options_;
  CtcKernelInfo info_;
  mutable std::mutex mutex_;  ///< guards the members below; runs take turns, because they share the device's reports
  mutable std::shared_ptr<metal::Device> device_;
  mutable std::optional<metal::CtcLoss> loss_;
};

}  // namespace

std::shared_ptr<const CtcKernel> metal_ctc_kernel(MetalCtcOptions options) {
  return std::make_shared<MetalCtcKernel>(std::move(options));
}

}  // namespace assay::validation
