// A singular value decomposition that is ready to be encoded: everything has been allocated and compiled.
//
//   const Result<SvdPlan> plan = svd.prepare(problem, true);               // before an encoder is fetched
//   const auto encoder = *commands->compute_encoder();
//   const Result<void> encoded = plan->encode(*encoder, {matrices, U, S, Vh, status});
//   ...                                                                    // when the commands have completed:
//   const Result<void> converged = plan->check_status(status);
//
// Nobody reads a result between two sweeps: all max_sweeps sweeps are encoded, and each matrix ignores those after the
// first that rotates nothing. So the results have the bits of Svd. A sweep that is ignored costs its dispatches, of
// which there are few below 257 columns; above, SvdOptions::max_sweeps of about 20 saves time.
//
// The caller must look at `status`: where a matrix has not converged, its U, S and Vh are those of columns that are not
// orthogonal yet.
//
// A plan may be encoded several times, for different matrices of the same shape. All these commands share the plan's
// memory for intermediate results, so they must not run at the same time, as on different queues.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "metal/host/plan.h"
#include "metal/host/svd/dispatch.h"
#include "metal/host/svd/workspace.h"

namespace assay::metal {

/// The buffers of the caller. No output may overlap the matrices.
struct SvdBuffers {
  BufferPart matrices = {};  ///< Real [B, M, N]; must be finite: reference::validate_values
  BufferPart U = {};         ///< Real [B, M, K]; ignored by a plan without vectors
  BufferPart S = {};         ///< float [B, K]
  BufferPart Vh = {};        ///< Real [B, K, N]; ignored by a plan without vectors
  BufferPart status = {};    ///< uint32 [B]: the sweeps that the matrix took, or svd::not_converged
};

class SvdPlan : public host::Plan<SvdPlan, host::SvdStatement, host::SvdWorkspace, SvdBuffers> {
 public:
  static constexpr std::uint32_t shape_index = svd::shape_index;

  /// `chunk`: the matrices that fit in the workspace, at least one.
  SvdPlan(host::SvdStatement statement, host::SvdKernels kernels, host::SvdWorkspace workspace, std::uint64_t chunk)
      : Plan(std::move(statement), std::move(workspace)),
        kernels_(std::move(kernels)),
        chunk_(chunk),
        dispatches_(statement_) {}

  /// `status` is what the commands have written. Errors: execution, with the number of the first matrix that has not
  /// converged, counted from `first`; argument, for a length other than B.
  Result<void> check_status(std::span<const std::uint32_t> status, std::uint64_t first = 0) const;

  /// The bytes that `encode` needs in each buffer. If they are 0, the buffer may be absent.
  std::uint64_t matrix_bytes() const { return statement_.B * host::svd_lengths(statement_).matrix; }
  std::uint64_t left_bytes() const { return statement_.B * host::svd_lengths(statement_).left; }
  std::uint64_t values_bytes() const { return statement_.B * host::svd_lengths(statement_).columns; }
  std::uint64_t right_bytes() const { return statement_.B * host::svd_lengths(statement_).right; }
  std::uint64_t status_bytes() const { return statement_.B * sizeof(std::uint32_t); }

  std::array<host::PlanBuffer<SvdBuffers>, 5> buffers() const;
  std::size_t dispatch_count() const { return chunk_count() * dispatches_.count(); }
  host::SvdDispatch dispatch(std::size_t n) const;
  const host::SvdDispatches& dispatches() const { return dispatches_; }
  /// The first matrix of a chunk.
  std::uint64_t member_of(std::size_t n) const { return n / dispatches_.count() * chunk_; }

 private:
  std::uint64_t chunk_count() const { return statement_.B == 0 ? 0 : (statement_.B + chunk_ - 1) / chunk_; }

  host::SvdKernels kernels_;
  std::uint64_t chunk_;
  host::SvdDispatches dispatches_;
};

}  // namespace assay::metal

namespace assay::metal::host {

/// From a statement to a plan that computes `chunk` matrices at a time. Errors: those of svd_workspace.
Result<SvdPlan> svd_plan(Device& device, const SvdStatement& statement, const SvdKernels& kernels, std::uint64_t chunk);

}  // namespace assay::metal::host
