// Computes the singular value decomposition of some matrices on buffers of its own: copies inputs, encodes, commits,
// waits. If a sweep takes several dispatches, the host decides after each sweep whether another one is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "metal/device/device.h"
#include "metal/host/svd/kernels.h"
#include "metal/host/svd/workspace.h"

namespace assay::metal::host {

/// The device on which a decomposition runs.
struct SvdEngine {
  Device& device;
  CommandQueue& queue;
  std::mutex& mutex;  ///< held while an encoder is open, and during allocations
};

class SvdRun {
 public:
  /// Allocates the buffers of `count` matrices, and copies the matrices. Errors: those of the device, preceded by the
  /// step that failed.
  static Result<SvdRun> start(const SvdEngine& engine, const SvdStatement& statement, const SvdKernels& kernels,
                              std::uint64_t count, std::span<const std::byte> matrices);

  /// Computes S, U and Vh. Errors: as above; execution, with the number of the matrix, if the limit of sweeps was
  /// reached. `first`: the number of the first matrix.
  Result<void> finish(std::uint64_t first) const;

  /// The contents of a buffer after finish().
  const std::byte* contents(svd::BufferIndex index) const { return workspace_[index]->contents(); }

 private:
  SvdRun(const SvdEngine& engine, const SvdStatement& statement, const SvdKernels& kernels, std::uint64_t count)
      : engine_(engine), statement_(statement), kernels_(kernels), count_(count) {}

  void bind(ComputeCommandEncoder& encoder) const;
  void dispatch(ComputeCommandEncoder& encoder, const SvdKernel& kernel, Size groups, std::uint32_t step = 0) const;
  void encode_sweep(ComputeCommandEncoder& encoder) const;
  Result<void> run(bool with_load, bool with_sweep, bool with_finish) const;
  Result<void> sweep_until_done(std::uint64_t first) const;
  std::span<const std::uint32_t> status() const;
  Result<void> not_converged(std::uint64_t matrix) const;

  SvdEngine engine_;
  const SvdStatement& statement_;
  const SvdKernels& kernels_;
  std::uint64_t count_;
  SvdWorkspace workspace_;
};

}  // namespace assay::metal::host
