// This project's own kernels, as the gate judges them.
#include "validation/svd/kernels.h"

#include <optional>
#include <utility>

#include "metal/cpu/svd/svd.h"
#include "metal/device/or_throw.h"
#include "validation/svd/operation.h"

namespace assay::validation {
namespace {

/// The kernel of metal/cpu.
class CpuSvdKernel : public SvdKernel {
 public:
  const SvdKernelInfo& info() const override { return info_; }

  void run(const metal::AnySvdProblem& problem, const metal::AnySvdOutput& out,
           const SvdRequest& request) const override {
    metal::with_types(problem, out, [&](const auto& typed, const auto& output) {
      metal::svd(typed, output, {.threads = request.threads});
    });
  }

  void randomized(const metal::AnySvdProblem& problem, const reference::RandomizedSvd& randomized,
                  const metal::AnySvdOutput& out) const override {
    metal::with_types(problem, out,
                      [&](const auto& typed, const auto& output) { metal::randomized_svd(typed, randomized, output); });
  }

  metal::SvdGradientNotes gradient(const metal::SvdCotangent<double>& cotangent, std::span<double> dA) const override {
    return metal::svd_gradient(cotangent, dA);
  }

 private:
  static SvdKernelInfo declared() {
    SvdKernelInfo info{.name = "cpu",
                       .graded = true,
                       .canonical_signs = true,
                       .has_randomized = true,
                       .has_gradient = true,
                       .batch_invariant = true,
                       .exact_scaling = true,
                       .same_values = true};
    info.support.takes_views = info.support.can_be_forked = true;
    return info;
  }

  SvdKernelInfo info_ = declared();
};

/// The device has no float64. The host gives float64 problems to the CPU kernel, which is judged separately.
SvdKernelInfo info_of(const OnDevice<metal::SvdOptions>& on) {
  SvdKernelInfo info{.name = on.name,
                     .graded = true,
                     .canonical_signs = true,
                     .has_randomized = true,
                     .batch_invariant = true,
                     .exact_scaling = true,
                     .same_values = true};
  info.support.reach = reach_on(on.device);
  info.support.dtypes = {Dtype::float32, Dtype::float16, Dtype::bfloat16};
  if (on.edit) info.support.dtypes = {Dtype::float32};
  return info;
}

class MetalSvdKernel final : public SvdKernel {
 public:
  explicit MetalSvdKernel(OnDevice<metal::SvdOptions> on)
      : info_(info_of(on)), options_(std::move(on.host)), library_(on.device, "svd/svd.metal", on.edit) {}

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
    library_.run([&](const auto& device, const auto& library) {
      if (!svd_) svd_ = or_throw(metal::Svd::create(device, library, options_));
      use(*svd_);
    });
  }

  SvdKernelInfo info_;
  metal::SvdOptions options_;
  DeviceLibrary library_;
  mutable std::optional<metal::Svd> svd_;
};

}  // namespace

std::shared_ptr<const SvdKernel> metal_svd_kernel(OnDevice<metal::SvdOptions> on) {
  return std::make_shared<MetalSvdKernel>(std::move(on));
}

std::shared_ptr<const SvdKernel> SvdOperation::shipped_kernel(const std::string& name) {
  if (name == "cpu") return std::make_shared<CpuSvdKernel>();
  if (const auto device = device_in(name); !device.empty()) return metal_svd_kernel({.name = name, .device = device});
  if (name == "metal-plain") return metal_svd_kernel({.name = name, .host = {.path = metal::SvdPath::plain}});
  return nullptr;
}

}  // namespace assay::validation
