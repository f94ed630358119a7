// A CTC loss that is ready to be encoded: everything has been allocated, copied and compiled.
//
//   const Result<CtcPlan> plan = loss.prepare(problem, true);              // before an encoder is fetched
//   const auto encoder = *commands->compute_encoder();
//   const Result<void> encoded = plan->encode(*encoder, {activations, gradient, losses});
//
// A plan may be encoded several times, for different activations with the same lengths and labels. All these commands
// share the plan's memory for intermediate results, so they must not run at the same time, as on different queues.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "metal/host/ctc/dispatch.h"
#include "metal/host/ctc/statement.h"
#include "metal/host/ctc/workspace.h"
#include "metal/host/plan.h"

namespace assay::metal {

/// The buffers of the caller. No output may overlap the activations.
struct CtcBuffers {
  BufferPart activations;    ///< Real [T, B, C]; must be valid: reference::validate_activations
  BufferPart gradient = {};  ///< Real [T, B, C]; ignored by a plan without gradient
  BufferPart loss = {};      ///< float [B] for Reduction::none, else [1]
};

class CtcPlan : public host::Plan<CtcPlan, host::CtcStatement, host::CtcWorkspace, CtcBuffers> {
 public:
  static constexpr std::uint32_t shape_index = ctc::shape_index;

  CtcPlan(host::CtcStatement statement, host::CtcWorkspace workspace, std::vector<host::CtcDispatch> dispatches)
      : Plan(std::move(statement), std::move(workspace)), dispatches_(std::move(dispatches)) {}

  /// The bytes that `encode` needs in each buffer. If they are 0, the buffer may be absent.
  std::uint64_t activation_bytes() const { return statement_.activation_bytes(); }
  std::uint64_t gradient_bytes() const { return statement_.with_gradient ? activation_bytes() : 0; }
  std::uint64_t loss_bytes() const { return statement_.loss_bytes(); }

  std::array<host::PlanBuffer<CtcBuffers>, 3> buffers() const;
  std::size_t dispatch_count() const { return dispatches_.size(); }
  const host::CtcDispatch& dispatch(std::size_t n) const { return dispatches_[n]; }
  const std::vector<host::CtcDispatch>& dispatches() const { return dispatches_; }
  /// Says whether the rows of the buffers are aligned to four elements.
  ctc::Shape shape_of(const host::CtcDispatch& dispatch, const CtcBuffers& buffers) const;

 private:
  std::vector<host::CtcDispatch> dispatches_;
};

}  // namespace assay::metal

namespace assay::metal::host {

/// From the tables of a batch to a plan. Errors: limit, for activations whose bytes do not fit in 64 bits; those of
/// ctc_chunks, ctc_dispatches and ctc_workspace.
Result<CtcPlan> ctc_plan(Device& device, Pipelines& pipelines, const CtcStatement& statement, CtcRows rows,
                         const CtcRoom& room);

}  // namespace assay::metal::host
