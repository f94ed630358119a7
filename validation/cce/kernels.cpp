// This project's own kernels, as the gate judges them.
#include "validation/cce/kernels.h"

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "metal/cpu/cce/tuning.h"
#include "metal/device/or_throw.h"
#include "validation/cce/operation.h"

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
  CceKernelInfo info_{
      .name = "cpu",
      .sum_roundoff = 0x1p-53,
      .bfloat16_roundings = 2,
      .chunks = {16, 48, 768},
      .support = {
          .dtypes = {Dtype::float32, Dtype::float16, Dtype::bfloat16}, .takes_views = true, .can_be_forked = true}};
};

CceKernelInfo info_of(const OnDevice<metal::CceOptions>& on) {
  CceKernelInfo info{.name = on.name, .batch_invariant = true, .flushes_subnormals = true, .chunks = {32, 64}};
  info.support.reach = reach_on(on.device);
  if (on.host.path == metal::CcePath::production) info.bfloat16_roundings = 1;
  if (on.edit) info.support.dtypes = {Dtype::float32};
  return info;
}

class MetalCceKernel final : public CceKernel {
 public:
  explicit MetalCceKernel(OnDevice<metal::CceOptions> on)
      : info_(info_of(on)), options_(std::move(on.host)), library_(on.device, "cce/cce.metal", on.edit) {}

  const CceKernelInfo& info() const override { return info_; }

  void run(const metal::AnyCceProblem& problem, const metal::AnyCceOutput& out,
           const CceRequest& request) const override {
    metal::with_types(problem, out, [&](const auto& typed, const auto& output) {
      library_.run([&](const auto& device, const auto& library) {
        const metal::LinearCrossEntropy& loss = loss_with(request.chunk, device, library);
        if (!request.in_halves) return or_throw(loss(typed, output));
        std::vector<double> log_sum_exp(typed.targets.size());
        or_throw(loss.forward(typed, output.loss, log_sum_exp));
        or_throw(loss.backward(typed, std::span<const double>(log_sum_exp), output.gradients));
      });
    });
  }

 private:
  const metal::LinearCrossEntropy& loss_with(std::int64_t chunk, const std::shared_ptr<metal::Device>& device,
                                             const std::shared_ptr<metal::Library>& library) const {
    if (const auto found = losses_.find(chunk); found != losses_.end()) return found->second;
    metal::CceOptions options = options_;
    options.chunk = static_cast<std::uint64_t>(chunk);
    return losses_.emplace(chunk, or_throw(metal::LinearCrossEntropy::create(device, library, options))).first->second;
  }

  CceKernelInfo info_;
  metal::CceOptions options_;
  DeviceLibrary library_;
  mutable std::map<std::int64_t, metal::LinearCrossEntropy> losses_;
};

}  // namespace

std::shared_ptr<const CceKernel> metal_cce_kernel(OnDevice<metal::CceOptions> on) {
  return std::make_shared<MetalCceKernel>(std::move(on));
}

std::shared_ptr<const CceKernel> CceOperation::shipped_kernel(const std::string& name) {
  if (name == "cpu") return std::make_shared<CpuCceKernel>();
  if (const auto device = device_in(name); !device.empty()) return metal_cce_kernel({.name = name, .device = device});
  if (name == "metal-plain") return metal_cce_kernel({.name = name, .host = {.path = metal::CcePath::plain}});
  return nullptr;
}

}  // namespace assay::validation
