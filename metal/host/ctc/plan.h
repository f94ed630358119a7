// A CTC loss that is ready to be encoded: everything has been allocated, copied and compiled.
//
//   const Result<CtcPlan> plan = loss.prepare(problem, true);              // before an encoder is fetched
//   const auto encoder = *commands->compute_encoder();
//   const Result<void> encoded = plan->encode(*encoder, {activations, gradient, losses});
//
// A plan may be encoded several times, for different activations with the same lengths and labels. All these commands
// share the plan's memory for intermediate results, so they must not run at the same time, as on different queues.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "metal/device/compute_command_encoder.h"
#include "metal/host/buffer_part.h"
#include "metal/host/ctc/dispatch.h"
#include "metal/host/ctc/statement.h"
#include "metal/host/ctc/workspace.h"

namespace assay::metal {

/// The buffers of the caller. No output may overlap the activations.
struct CtcBuffers {
  BufferPart activations;    ///< Real [T, B, C]; must be valid: reference::validate_activations
  BufferPart gradient = {};  ///< Real [T, B, C]; ignored by a plan without gradient
  BufferPart loss = {};      ///< float [B] for Reduction::none, else [1]
};

class CtcPlan {
 public:
  CtcPlan(host::CtcStatement statement, host::CtcWorkspace workspace, std::vector<host::CtcDispatch> dispatches)
      : statement_(std::move(statement)), workspace_(std::move(workspace)), dispatches_(std::move(dispatches)) {}

  /// Only encodes. A barrier precedes every dispatch, also the first: the encoder may be concurrent, and earlier
  /// dispatches in it may write the activations. Errors: argument, for a buffer that is absent, too short or
  /// misaligned; nothing is encoded then. What the encoder refuses is the error of its end_encoding().
  Result<void> encode(ComputeCommandEncoder& encoder, const CtcBuffers& buffers) const;

  /// Encodes `count` dispatches from `first` on: those of a command buffer, or one, to measure it.
  Result<void> encode(ComputeCommandEncoder& encoder, const CtcBuffers& buffers, std::size_t first,
                      std::size_t count) const;

  /// The bytes that `encode` needs in each buffer. If they are 0, the buffer may be absent.
  std::uint64_t activation_bytes() const { return statement_.activation_bytes(); }
  std::uint64_t gradient_bytes() const { return statement_.with_gradient ? activation_bytes() : 0; }
  std::uint64_t loss_bytes() const { return statement_.loss_bytes(); }

  const std::vector<host::CtcDispatch>& dispatches() const { return dispatches_; }

  /// The dispatches that one command buffer may take, one range after the other: metal/host/work.h.
  std::vector<host::CommandRange> command_ranges() const {
    return host::command_ranges(0, dispatches_.size(), statement_.max_work,
                                [&](std::size_t n) { return dispatches_[n].work; });
  }

 private:
  Result<void> check(const CtcBuffers& buffers) const;
  void bind(ComputeCommandEncoder& encoder, const CtcBuffers& buffers) const;

  host::CtcStatement statement_;
  host::CtcWorkspace workspace_;
  std::vector<host::CtcDispatch> dispatches_;
};

}  // namespace assay::metal

namespace assay::metal::host {

/// From the tables of a batch to a plan. Errors: limit, for activations whose bytes do not fit in 64 bits; those of
/// ctc_chunks, ctc_dispatches and ctc_workspace.
Result<CtcPlan> ctc_plan(Device& device, Pipelines& pipelines, const CtcStatement& statement, CtcRows rows,
                         const CtcRoom& room);

}  // namespace assay::metal::host
