// This project's own kernels, as the gate judges them.
#include "validation/svd/operation.h"

#include <vector>

#include "metal/cpu/svd/svd.h"
#include "validation/svd/metal_kernel.h"

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
                       .exact_scaling = true,
                       .same_values = true};
    info.support.takes_views = true;
    return info;
  }

  SvdKernelInfo info_ = declared();
};

}  // namespace

std::shared_ptr<const SvdKernel> SvdOperation::shipped_kernel(const std::string& name) {
  if (name == "cpu") return std::make_shared<CpuSvdKernel>();
  if (const auto device = device_in(name); !device.empty()) return metal_svd_kernel({.name = name, .device = device});
  if (name == "metal-plain") return metal_svd_kernel({.name = name, .path = metal::SvdPath::plain});
  return nullptr;
}

}  // namespace assay::validation
