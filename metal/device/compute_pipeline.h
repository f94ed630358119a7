// A function made ready to run; MTLComputePipelineState.
#pragma once

#include <cstdint>

namespace assay::metal {

class ComputePipeline {
 public:
  virtual ~ComputePipeline() = default;

  /// The kernel's own limit, never above the device's.
  virtual std::uint32_t max_total_threads_per_threadgroup() const = 0;
  virtual std::uint32_t thread_execution_width() const = 0;

  /// Bytes of the kernel's `threadgroup` variables.
  virtual std::uint64_t static_threadgroup_memory_length() const = 0;
};

}  // namespace assay::metal
