// Runs a plan on buffers of its own: copies inputs, encodes, commits, waits, copies outputs.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "metal/device/device.h"
#include "metal/host/commands.h"
#include "metal/host/ctc/plan.h"

namespace assay::metal::host {

class CtcRun {
 public:
  /// Allocates, copies, encodes and commits. Errors: those of the device, preceded by the step that failed.
  static Result<CtcRun> start(Device& device, CommandQueue& queue, const CtcPlan& plan,
                              std::span<const std::byte> activations);

  /// Waits, and writes the outputs, whose sizes must be those of the plan, or nothing on an error. Errors: as above.
  Result<void> finish(std::span<std::byte> gradient, std::span<std::byte> loss) const;

 private:
  Commands commands_;  ///< none if there is nothing to compute
  CtcBuffers buffers_;
};

}  // namespace assay::metal::host
