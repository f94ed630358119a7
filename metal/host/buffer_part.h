// Buffers of a caller, to which a plan binds its dispatches.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "metal/device/compute_command_encoder.h"

namespace assay::metal {

/// The bytes of a buffer from `offset` on.
struct BufferPart {
  std::shared_ptr<Buffer> buffer;
  std::uint64_t offset = 0;
};

}  // namespace assay::metal

namespace assay::metal::host {

/// Errors: argument, with the part's name, if `bytes` bytes do not fit in it, or its offset is no multiple of
/// `element`. A part of no bytes may be absent.
Result<void> check_part(const char* name, const BufferPart& part, std::uint64_t bytes, std::uint64_t element);

/// Whether rows of `length` elements of `element` bytes are aligned to four elements in each part. Buffers themselves
/// are aligned to 16 bytes at least.
bool are_rows_aligned(std::uint64_t length, std::uint64_t element, std::initializer_list<BufferPart> parts);

/// Binds `bytes` bytes of the part from byte `first` on; nothing if there are none, because the offset may then be the
/// end of the buffer.
void bind_part(ComputeCommandEncoder& encoder, const BufferPart& part, std::uint64_t bytes, std::uint32_t index,
               std::uint64_t first = 0);

}  // namespace assay::metal::host
