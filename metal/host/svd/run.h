// The singular value decomposition of some matrices, on buffers of their own: copies in, encodes, commits, waits, and
// asks after each sweep whether there is to be another, where it is not the kernel that asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "metal/device/device.h"
#include "metal/host/svd/kernels.h"
#include "metal/host/svd/workspace.h"

namespace assay::metal::host {

/// What runs it.
struct SvdEngine {
  Device& device;
  CommandQueue& queue;
  std::mutex& mutex;  ///< held while there is an encoder, and while something is allocated
};

class SvdRun {
 public:
  /// Allocates for `count` matrices, and copies them. Errors: the device's, after what was being done.
  static Result<SvdRun> start(const SvdEngine& engine, const SvdStatement& statement, const SvdKernels& kernels,
                              std::uint64_t count, std::span<const std::byte> matrices);

  /// From matrices to S, U and Vh. Errors: as above; execution, naming the matrix, where the limit of sweeps was
  /// reached. `first`: what the first matrix is called.
  Result<void> finish(std::uint64_t first) const;

  /// What the kernels left in a buffer; once finished.
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
