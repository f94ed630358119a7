// A linear cross-entropy that is ready to be encoded: everything has been allocated, copied and compiled.
//
//   const Result<CcePlan> plan = loss.prepare(problem, {true, true, true, true});     // before an encoder is fetched
//   const auto encoder = *commands->compute_encoder();
//   const Result<void> encoded = plan->encode(*encoder, {hidden, weight, bias, loss, lse, dhidden, dweight, dbias});
//
// Each token's loss is written, whatever the reduction: the caller adds them, and divides them by the number of tokens
// that are not ignored for the mean. The weights of gradients follow the problem's reduction and `upstream`. Gradients
// and losses have the bits of LinearCrossEntropy with Reduction::none, if bias has the values that prepare() has read.
//
// A plan may be encoded several times, for different arrays with the same targets. All these commands share the plan's
// memory for intermediate results, so they must not run at the same time, as on different queues.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "metal/host/cce/dispatch.h"
#include "metal/host/cce/statement.h"
#include "metal/host/cce/tokens.h"
#include "metal/host/cce/workspace.h"
#include "metal/host/plan.h"

namespace assay::metal {

/// The buffers of the caller. No output may overlap an input. Inputs must be valid:
/// reference::validate_values. Where H is a multiple of four, the parts of matrices begin at a multiple of four
/// elements.
struct CceBuffers {
  BufferPart hidden = {};  ///< Real [N, H]
  BufferPart weight = {};  ///< Real [V, H]
  BufferPart bias = {};    ///< Real [V]; ignored if the problem has none
  BufferPart loss = {};    ///< float [N], 0 for an ignored token; ignored by a plan without forward
  BufferPart lse = {};     ///< LogSum [M] of the M tokens that are not ignored: written by a plan with forward, read by
                           ///< one without
  BufferPart dhidden = {};  ///< Real [N, H], 0 for an ignored token; this and the others are ignored if not wanted
  BufferPart dweight = {};  ///< Real [V, H]
  BufferPart dbias = {};    ///< Real [V]
};

class CcePlan : public host::Plan<CcePlan, host::CceStatement, host::CceWorkspace, CceBuffers> {
 public:
  static constexpr std::uint32_t shape_index = cce::shape_index;

  CcePlan(host::CceStatement statement, host::CceWorkspace workspace, std::vector<host::CceDispatch> dispatches)
      : Plan(std::move(statement), std::move(workspace)), dispatches_(std::move(dispatches)) {}

  /// The bytes that `encode` needs in each buffer. If they are 0, the buffer may be absent.
  std::uint64_t hidden_bytes() const { return statement_.N * statement_.H * statement_.element_size; }
  std::uint64_t weight_bytes() const { return statement_.V * statement_.H * statement_.element_size; }
  std::uint64_t bias_bytes() const { return statement_.has_bias ? of_entries() : 0; }
  std::uint64_t loss_bytes() const { return statement_.work.forward ? statement_.N * sizeof(float) : 0; }
  std::uint64_t lse_bytes() const { return statement_.M * sizeof(cce::LogSum); }
  std::uint64_t dhidden_bytes() const { return statement_.work.dhidden ? hidden_bytes() : 0; }
  std::uint64_t dweight_bytes() const { return statement_.work.dweight ? weight_bytes() : 0; }
  std::uint64_t dbias_bytes() const { return statement_.work.dbias ? of_entries() : 0; }

  std::array<host::PlanBuffer<CceBuffers>, 8> buffers() const;
  std::size_t dispatch_count() const { return dispatches_.size(); }
  const host::CceDispatch& dispatch(std::size_t n) const { return dispatches_[n]; }
  const std::vector<host::CceDispatch>& dispatches() const { return dispatches_; }

 private:
  std::uint64_t of_entries() const { return statement_.V * statement_.element_size; }

  std::vector<host::CceDispatch> dispatches_;
};

}  // namespace assay::metal

namespace assay::metal::host {

/// From the tables of a batch to a plan. Errors: those of cce_dispatches and cce_workspace.
Result<CcePlan> cce_plan(Device& device, Pipelines& pipelines, const CceStatement& statement, const CceTables& tables);

}  // namespace assay::metal::host
