// The rules by which a device refuses a buffer.
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "metal/device/limits.h"
#include "metal/device/result.h"

namespace assay::metal {

inline Result<void> check_buffer_length(std::uint64_t length, const Limits& limits) {
  if (length == 0) return error(Error::Kind::argument, "buffer length = 0: expected at least 1");
  if (length <= limits.max_buffer_length) return {};
  return error(Error::Kind::limit, fmt::format("buffer length = {}: expected at most maxBufferLength = {}", length,
                                               limits.max_buffer_length));
}

inline tl::unexpected<Error> no_memory_for_buffer(std::uint64_t length) {
  return error(Error::Kind::limit, fmt::format("buffer length = {}: there is no memory for it", length));
}

/// The range that Buffer::did_modify names, in a buffer of `length` bytes.
inline Result<void> check_modified_range(std::uint64_t offset, std::uint64_t bytes, std::uint64_t length) {
  if (offset <= length && bytes <= length - offset) return {};
  return error(
      Error::Kind::argument,
      fmt::format("didModifyRange: offset = {}, bytes = {}: expected a range within {} bytes", offset, bytes, length));
}

}  // namespace assay::metal
