#include "validation/cce/metal_kernel.h"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "metal/device/or_throw.h"

namespace assay::validation {
namespace {

CceKernelInfo info_of(const MetalCceOptions& options) {
  CceKernelInfo info{.name = options.name, .flushes_subnormals = true, .chunks = {32, 64}};
  info.support.reach = reach_on(options.device);
  if (options.edit) info.support.dtypes = {Dtype::float32};
  return info;
}

class MetalCceKernel final : public CceKernel {
 public:
  explicit MetalCceKernel(MetalCceOptions options) : options_(std::move(options)), info_(info_of(options_)) {}

  const CceKernelInfo& info() const override { return info_; }

  void run(const metal::AnyCceProblem& problem, const metal::AnyCceOutput& out,
           const CceRequest& request) const override {
    const std::lock_guard lock(mutex_);
    const metal::LinearCrossEntropy& loss = loss_with(request.chunk);
    metal::with_types(problem, out, [&](const auto& typed, const auto& output) {
      if (!request.in_halves) return or_throw(loss(typed, output));
      std::vector<double> log_sum_exp(typed.targets.size());
      or_throw(loss.forward(typed, output.loss, log_sum_exp));
      or_throw(loss.backward(typed, std::span<const double>(log_sum_exp), output.gradients));
    });
    throw_reports(*device_);
  }

 private:
  const metal::LinearCrossEntropy& loss_with(std::int64_t chunk) const {
    if (const auto found = losses_.find(chunk); found != losses_.end()) return found->second;
    if (!device_) start();
    const metal::CceOptions options{.path = options_.path, .chunk = static_cast<std::uint64_t>(chunk)};
    return losses_.emplace(chunk, or_throw(metal::LinearCrossEntropy::create(device_, library_, options)))
        .first->second;
  }

  void start() const {
    device_ = kernel_device(options_.device, options_.edit);
    library_ = kernel_library(*device_, "cce/cce.metal", options_.edit);
  }

  MetalCceOptions options_;
  CceKernelInfo info_;
  mutable std::mutex mutex_;  ///< guards the members below; runs take turns, because they share the device's reports
  mutable std::shared_ptr<metal::Device> device_;
  mutable std::shared_ptr<metal::Library> library_;
  mutable std::map<std::int64_t, metal::LinearCrossEntropy> losses_;
};

}  // namespace

std::shared_ptr<const CceKernel> metal_cce_kernel(MetalCceOptions options) {
  return std::make_shared<MetalCceKernel>(std::move(options));
}

}  // namespace assay::validation
