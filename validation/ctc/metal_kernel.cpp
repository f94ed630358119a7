#include "validation/ctc/metal_kernel.h"

#include <fmt/format.h>

#include <cmath>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "metal/device/or_throw.h"
#include "metal/device/shader_source.h"
#include "metal/emulator/emulator_device.h"
#include "metal/host/kernel_file.h"

namespace assay::validation {
namespace {

/// Without half and bfloat, which the gate does not ask for: less to compile for each fault.
metal::emulator::EmulatorOptions emulator_options(const MetalCtcOptions& options) {
  metal::emulator::EmulatorOptions emulator;
  if (options.edit) emulator.metal_version = 300;
  return emulator;
}

CtcKernelInfo info_of(const MetalCtcOptions& options) {
  CtcKernelInfo info{.name = options.name, .unit_roundoff = std::ldexp(1.0, -24)};
  if (options.path == metal::CtcPath::production) return info;
  info.arithmetic = Arithmetic::log_space;
  info.two_step = true;
  return info;
}

class MetalCtcKernel final : public CtcKernel {
 public:
  explicit MetalCtcKernel(MetalCtcOptions options) : options_(std::move(options)), info_(info_of(options_)) {}

  const CtcKernelInfo& info() const override { return info_; }

  void run(const reference::CtcProblem<float>& problem, const CtcResultView& out, int /*threads*/) const override {
    const std::lock_guard lock(mutex_);
    if (!loss_) start();
    or_throw((*loss_)(problem, {out.loss, out.gradient}));
    throw_reports();
  }

 private:
  void start() const {
    device_ = std::make_shared<metal::emulator::EmulatorDevice>(emulator_options(options_));
    metal::CtcOptions options{.path = options_.path, .least_states = options_.least_states};
    if (!options_.edit) {
      loss_ = or_throw(metal::CtcLoss::create(device_, options));
      return;
    }
    const std::string source = or_throw(metal::text_with_includes(metal::host::kernel_file("ctc.metal")));
    loss_ = or_throw(metal::CtcLoss::create(device_, or_throw(device_->new_library(options_.edit(source))), options));
  }

  void throw_reports() const {
    const auto reports = device_->reports();
    if (reports.empty()) return;
    device_->clear_reports();
    throw std::runtime_error(
        fmt::format("{}{}", to_string(reports.front()),
                    reports.size() > 1 ? fmt::format("\n(and {} more reports)", reports.size() - 1) : ""));
  }

  MetalCtcOptions options_;
  CtcKernelInfo info_;
  mutable std::mutex mutex_;  ///< over the two below, and one run at a time: reports are the device's
  mutable std::shared_ptr<metal::emulator::EmulatorDevice> device_;
  mutable std::optional<metal::CtcLoss> loss_;
};

}  // namespace

std::shared_ptr<const CtcKernel> metal_ctc_kernel(MetalCtcOptions options) {
  return std::make_shared<MetalCtcKernel>(std::move(options));
}

}  // namespace assay::validation
