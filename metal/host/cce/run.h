// Runs a plan of linear cross-entropy on buffers of its own: copies inputs, encodes, commits, waits, copies outputs.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "metal/device/device.h"
#include "metal/host/cce/plan.h"
#include "metal/host/commands.h"

namespace assay::metal::host {

/// The arrays of a problem.
struct CceInputs {
  std::span<const std::byte> hidden, weight, bias;
  std::span<const cce::LogSum> lse;  ///< [M] if forward results are not wanted, else empty
};

class CceRun {
 public:
  /// Allocates, copies, encodes and commits. Errors: those of the device, preceded by the step that failed.
  static Result<CceRun> start(Device& device, CommandQueue& queue, const CcePlan& plan, const CceInputs& inputs);

  /// Errors: as above.
  Result<void> wait() const;

  /// The contents of the buffers after wait().
  const CceBuffers& buffers() const { return buffers_; }

 private:
  Commands commands_;
  CceBuffers buffers_;
};

/// The tokens that are not ignored, and the run that computed their results; no run if there are no tokens.
struct CceResults {
  std::vector<cce::Token> tokens;
  std::optional<CceRun> run;
  double offset = 0;  ///< cce::Shape
};

}  // namespace assay::metal::host
