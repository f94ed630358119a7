// Runs a plan on buffers of its own: copies inputs, encodes, commits, waits. If a sweep takes several dispatches, the
// host decides after each sweep whether another one is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "metal/device/device.h"
#include "metal/host/svd/plan.h"

namespace assay::metal::host {

/// The device on which a decomposition runs.
struct SvdEngine {
  Device& device;
  CommandQueue& queue;
  std::mutex& mutex;  ///< held while an encoder is open, and during allocations
};

class SvdRun {
 public:
  /// Allocates the buffers of the statement's matrices, and copies the matrices. Errors: those of the device, preceded
  /// by the step that failed.
  static Result<SvdRun> start(const SvdEngine& engine, const SvdStatement& statement, const SvdKernels& kernels,
                              std::span<const std::byte> matrices);

  /// Computes S, U and Vh. Errors: as above; execution, with the number of the matrix, if the limit of sweeps was
  /// reached. `first`: the number of the first matrix.
  Result<void> finish(std::uint64_t first) const;

  /// The results of finish(): U, S and Vh.
  const std::byte* left() const { return contents(buffers_.U); }
  const std::byte* values() const { return contents(buffers_.S); }
  const std::byte* right() const { return contents(buffers_.Vh); }

 private:
  SvdRun(const SvdEngine& engine, SvdPlan plan, SvdBuffers buffers)
      : engine_(engine), plan_(std::move(plan)), buffers_(std::move(buffers)) {}

  /// Null if the plan does not write the part.
  static const std::byte* contents(const BufferPart& part) { return part.buffer ? part.buffer->contents() : nullptr; }
  /// Encodes `count` dispatches from `first` on, and waits for them.
  Result<void> run(std::size_t first, std::size_t count) const;
  Result<void> sweep_until_done(std::uint64_t first) const;
  std::span<const std::uint32_t> status() const;

  SvdEngine engine_;
  SvdPlan plan_;
  SvdBuffers buffers_;
};

}  // namespace assay::metal::host
