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

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "metal/host/buffer_part.h"
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

class SvdPlan {
 public:
  /// `chunk`: the matrices that fit in the workspace, at least one.
  SvdPlan(host::SvdStatement statement, host::SvdKernels kernels, host::SvdWorkspace workspace, std::uint64_t chunk)
      : statement_(std::move(statement)),
        kernels_(std::move(kernels)),
        workspace_(std::move(workspace)),
        chunk_(chunk),
        dispatches_(statement_) {}

  /// Only encodes. A barrier precedes every dispatch, also the first: the encoder may be concurrent, and earlier
  /// dispatches in it may write the matrices. Errors: argument, for a buffer that is absent, too short or misaligned;
  /// nothing is encoded then. What the encoder refuses is the error of its end_encoding().
  Result<void> encode(ComputeCommandEncoder& encoder, const SvdBuffers& buffers) const;

  /// Encodes `count` dispatches from `first` on.
  Result<void> encode(ComputeCommandEncoder& encoder, const SvdBuffers& buffers, std::size_t first,
                      std::size_t count) const;

  std::size_t dispatch_count() const { return chunk_count() * dispatches_.count(); }

  /// The dispatches that one command buffer may take, one range after the other: metal/host/work.h.
  std::vector<host::CommandRange> command_ranges() const { return command_ranges(0, dispatch_count()); }
  /// The ranges of `count` dispatches from `first` on.
  std::vector<host::CommandRange> command_ranges(std::size_t first, std::size_t count) const;

  /// `status` is what the commands have written. Errors: execution, with the number of the first matrix that has not
  /// converged, counted from `first`; argument, for a length other than B.
  Result<void> check_status(std::span<const std::uint32_t> status, std::uint64_t first = 0) const;

  /// The bytes that `encode` needs in each buffer. If they are 0, the buffer may be absent.
  std::uint64_t matrix_bytes() const { return statement_.B * host::svd_lengths(statement_).matrix; }
  std::uint64_t left_bytes() const { return statement_.B * host::svd_lengths(statement_).left; }
  std::uint64_t values_bytes() const { return statement_.B * host::svd_lengths(statement_).columns; }
  std::uint64_t right_bytes() const { return statement_.B * host::svd_lengths(statement_).right; }
  std::uint64_t status_bytes() const { return statement_.B * sizeof(std::uint32_t); }

  const host::SvdStatement& statement() const { return statement_; }
  const host::SvdDispatches& dispatches() const { return dispatches_; }
  host::SvdDispatch dispatch(std::size_t n) const;

 private:
  std::uint64_t chunk_count() const { return statement_.B == 0 ? 0 : (statement_.B + chunk_ - 1) / chunk_; }
  Result<void> check(const SvdBuffers& buffers) const;
  void bind(ComputeCommandEncoder& encoder, const SvdBuffers& buffers, std::uint64_t first) const;

  host::SvdStatement statement_;
  host::SvdKernels kernels_;
  host::SvdWorkspace workspace_;
  std::uint64_t chunk_;
  host::SvdDispatches dispatches_;
};

}  // namespace assay::metal

namespace assay::metal::host {

/// From a statement to a plan that computes `chunk` matrices at a time. Errors: those of svd_workspace.
Result<SvdPlan> svd_plan(Device& device, const SvdStatement& statement, const SvdKernels& kernels, std::uint64_t chunk);

}  // namespace assay::metal::host
