#include "metal/host/buffer_part.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::metal::host {

Result<void> check_part(const char* name, const BufferPart& part, std::uint64_t bytes, std::uint64_t element) {
  if (bytes == 0) return {};
  if (!part.buffer) return error(Error::Kind::argument, fmt::format("{}: expected a buffer of {} bytes", name, bytes));
  if (part.offset % element != 0)
    return error(Error::Kind::argument,
                 fmt::format("{}.offset = {}: expected a multiple of {}", name, part.offset, element));
  const std::uint64_t length = part.buffer->length();
  if (part.offset <= length && bytes <= length - part.offset) return {};
  return error(Error::Kind::argument, fmt::format("{}: its buffer of {} bytes from offset {} on: expected at least {}",
                                                  name, length, part.offset, bytes));
}

bool are_rows_aligned(std::uint64_t length, std::uint64_t element, std::initializer_list<BufferPart> parts) {
  return length % 4 == 0 &&
         std::ranges::all_of(parts, [&](const BufferPart& part) { return part.offset % (4 * element) == 0; });
}

void bind_part(ComputeCommandEncoder& encoder, const BufferPart& part, std::uint64_t bytes, std::uint32_t index,
               std::uint64_t first) {
  if (bytes == 0) return encoder.set_buffer(nullptr, 0, index);
  encoder.set_buffer(part.buffer, part.offset + first, index);
}

}  // namespace assay::metal::host
