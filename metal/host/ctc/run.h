// A plan run to its end on buffers of its own: copies in, encodes, commits; waits, copies out.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "metal/device/device.h"
#include "metal/host/ctc/plan.h"

namespace assay::metal::host {

class CtcRun {
 public:
  /// Allocates, copies, encodes and commits. Errors: the device's, after what was being done.
  static Result<CtcRun> start(Device& device, CommandQueue& queue, const CtcPlan& plan,
                              std::span<const std::byte> activations);

  /// Waits, and writes outputs as long as the plan says; nothing on an error. Errors: as above.
  Result<void> finish(std::span<std::byte> gradient, std::span<std::byte> loss) const;

 private:
  std::shared_ptr<CommandBuffer> commands_;  ///< null where there is nothing to do
  CtcBuffers buffers_;
};

}  // namespace assay::metal::host
