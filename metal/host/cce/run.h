// Dispatches of linear cross-entropy run to their end on buffers of their own: copies in, encodes, commits; waits.
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
  /// Allocates, copies, encodes and commits. Errors: the device's, after what was being done.
  static Result<CceRun> start(Device& device, CommandQueue& queue, const CceStatement& statement,
                              const CceInputs& inputs, std::span<const CceDispatch> dispatches);

  /// Errors: as above.
  Result<void> wait() const;

  /// What the kernels left in a buffer; once waited for.
  const std::byte* contents(cce::BufferIndex index) const { return workspace_[index]->contents(); }

 private:
  std::shared_ptr<CommandBuffer> commands_;
  CceWorkspace workspace_;
};

/// Tokens that are not ignored, and what the kernels made of them; without a run where there are none.
struct CceResults {
  std::vector<cce::Token> tokens;
  std::optional<CceRun> run;
  double offset = 0;  ///< cce::Shape

  const std::byte* contents(cce::BufferIndex index) const { return run ? run->contents(index) : nullptr; }
};

}  // namespace assay::metal::host
