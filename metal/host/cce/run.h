// Runs the dispatches of linear cross-entropy on buffers of its own: copies inputs, encodes, commits, waits.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "metal/device/device.h"
#include "metal/host/cce/dispatch.h"
#include "metal/host/cce/workspace.h"

namespace assay::metal::host {

class CceRun {
 public:
  /// Allocates, copies, encodes and commits. Errors: those of the device, preceded by the step that failed.
  static Result<CceRun> start(Device& device, CommandQueue& queue, const CceStatement& statement,
                              const CceInputs& inputs, std::span<const CceDispatch> dispatches);

  /// Errors: as above.
  Result<void> wait() const;

  /// The contents of a buffer after wait().
  const std::byte* contents(cce::BufferIndex index) const { return workspace_[index]->contents(); }

 private:
  std::shared_ptr<CommandBuffer> commands_;
  CceWorkspace workspace_;
};

/// The tokens that are not ignored, and the run that computed their results; no run if there are no tokens.
struct CceResults {
  std::vector<cce::Token> tokens;
  std::optional<CceRun> run;
  double offset = 0;  ///< cce::Shape

  const std::byte* contents(cce::BufferIndex index) const { return run ? run->contents(index) : nullptr; }
};

}  // namespace assay::metal::host
