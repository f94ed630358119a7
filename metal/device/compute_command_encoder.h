// Writes dispatches of kernels into a command buffer; MTLComputeCommandEncoder.
//
// The stale-encoder rule: an allocation or a copy on the device (Device::new_buffer, Buffer::did_modify) between
// fetching an encoder and ending it invalidates the encoder. Hosts of Metal that share a command stream, PyTorch first
// among them, commit the stream's command buffer on such calls, and the encoder then points nowhere. Allocate and copy
// first, then fetch the encoder, then only encode.
//
// Calls return nothing, as Metal's: the first error is kept, what follows it is ignored, end_encoding() returns it, and
// the command buffer fails by it.
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

  /// The kernel's pointer is to contents() + offset; a null buffer unbinds. Errors: argument for the index or the
  /// offset.
  virtual void set_buffer(std::shared_ptr<Buffer> buffer, std::uint64_t offset, std::uint32_t index) = 0;

  /// A buffer of these bytes, copied now. Errors: argument; limit above Limits::max_bytes_length.
  virtual void set_bytes(std::span<const std::byte> bytes, std::uint32_t index) = 0;

  /// Of [[threadgroup(index)]], a multiple of 16 bytes. Errors: argument.
  virtual void set_threadgroup_memory_length(std::uint64_t length, std::uint32_t index) = 0;

  /// A grid of `grid` threads in groups of `group`, those at its edges smaller. Errors: order without a pipeline,
  /// argument for an empty extent, limit, binding.
  virtual void dispatch_threads(Size grid, Size group) = 0;

  /// A grid of `groups` whole threadgroups. Errors: as above.
  virtual void dispatch_threadgroups(Size groups, Size group) = 0;

  /// In a concurrent encoder, orders the memory of the dispatches before it before those after it.
  virtual void memory_barrier() = 0;

  virtual Result<void> end_encoding() = 0;
};

}  // namespace assay::metal
