// Writes dispatches of kernels into a command buffer; MTLComputeCommandEncoder.
//
// The stale-encoder rule: an allocation or a copy on the device (Device::new_buffer, Buffer::did_modify) by the thread
// that fetched an encoder makes the encoder stale, if it has not ended. Hosts of Metal that share a command stream,
// such as PyTorch, commit the stream's command buffer in such calls, and the encoder then dangles. Allocate and copy
// first, then fetch the encoder, then only encode.
//
// As in Metal, calls return nothing. The first error is kept and later calls are ignored; end_encoding() returns it,
// and the command buffer fails with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "metal/device/buffer.h"
#include "metal/device/compute_pipeline.h"
#include "metal/device/limits.h"
#include "metal/device/result.h"

namespace assay::metal {

/// Whether a dispatch may begin before the one before it has ended; MTLDispatchType.
enum class DispatchType { serial, concurrent };

class ComputeCommandEncoder {
 public:
  virtual ~ComputeCommandEncoder() = default;

  virtual void set_pipeline(std::shared_ptr<const ComputePipeline> pipeline) = 0;

  /// Makes the kernel's pointer point to contents() + offset; a null buffer unbinds. Errors: argument, for the index or
  /// the offset.
  virtual void set_buffer(std::shared_ptr<Buffer> buffer, std::uint64_t offset, std::uint32_t index) = 0;

  /// Binds a copy of these bytes. Errors: argument; limit, above Limits::max_bytes_length.
  virtual void set_bytes(std::span<const std::byte> bytes, std::uint32_t index) = 0;

  /// Sets the length of [[threadgroup(index)]], a multiple of 16 bytes. Errors: argument.
  virtual void set_threadgroup_memory_length(std::uint64_t length, std::uint32_t index) = 0;

  /// Dispatches `grid` threads in groups of `group`; groups at the edges may be smaller. Errors: order, without a
  /// pipeline; argument, for an empty extent; limit; binding.
  virtual void dispatch_threads(Size grid, Size group) = 0;

  /// Dispatches `groups` whole threadgroups. Errors: as above.
  virtual void dispatch_threadgroups(Size groups, Size group) = 0;

  /// In a concurrent encoder, orders all accesses of the dispatches before the call before those of the dispatches
  /// after.
  virtual void memory_barrier() = 0;

  virtual Result<void> end_encoding() = 0;
};

}  // namespace assay::metal
