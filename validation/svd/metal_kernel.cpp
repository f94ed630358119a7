#include "validation/svd/metal_kernel.h"

#include <mutex>
#include <optional>
#include <utility>

#include "metal/device/or_throw.h"

namespace assay::validation {
namespace {

/// The device has no float64. The host gives float64 problems to the CPU kernel, which is judged separately.
SvdKernelInfo info_of(const MetalSvdOptions& options) {
  SvdKernelInfo info{.name = options.name,
                     .graded = true,
                     .canonical_signs = true,
                     .has_randomized = true,
                     .exact_scaling = true,
                     .same_values = true};
  info.support.reach = reach_on(options.device);
  info.support.dtypes = {Dtype::float32, Dtype::float16, Dtype::bfloat16};
  if (options.edit) info.support.dtypes = {Dtype::float32};
  return info;
}

class MetalSvdKernel final : public SvdKernel {
 public:
  explicit MetalSvdKernel(MetalSvdOptions options) : options_(std::move(options)), info_(info_of(options_)) {}

  const SvdKernelInfo& info() const override { return info_; }

  void run(const metal::AnySvdProblem& problem, const metal::AnySvdOutput& out, const SvdRequest&) const override {
    metal::with_types(problem, out, [&](const auto& typed, const auto& output) {
      on_device([&](const metal::Svd& svd) { or_throw(svd(typed, output)); });
    });
  }

  void randomized(const metal::AnySvdProblem& problem, const reference::RandomizedSvd& randomized,
                  const metal::AnySvdOutput& out) const override {
    metal::with_types(problem, out, [&](const auto& typed, const auto& output) {
      on_device([&](const metal::Svd& svd) { or_throw(svd.randomized(typed, randomized, output)); });
    });
  }

 private:
  template <class Use>
  void on_device(const Use& use) const {
    const std::lock_guard lock(mutex_);
    if (!svd_) {
      device_ = kernel_device(options_.device, options_.edit);
      svd_ = or_throw(metal::Svd::create(device_, kernel_library(*device_, "svd/svd.metal", options_.edit),
                                         {.path = options_.path}));
    }
    use(*svd_);
    throw_reports(*device_);
  }

  MetalSvdOptions options_;
  SvdKernelInfo info_;
  mutable std::mutex mutex_;  ///< guards the members below; runs take turns, for they share the reports
  mutable std::shared_ptr<metal::Device> device_;
  mutable std::optional<metal::Svd> svd_;
};

}  // namespace

std::shared_ptr<const SvdKernel> metal_svd_kernel(MetalSvdOptions options) {
  return std::make_shared<MetalSvdKernel>(std::move(options));
}

}  // namespace assay::validation
