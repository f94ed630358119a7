// The rules of Metal's validation of encoders, in Metal's words. Without validation Metal checks nothing, and a
// kernel computes nonsense or the process ends. So the device layer checks by itself.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>

#include "metal/device/function.h"
#include "metal/device/limits.h"
#include "metal/device/result.h"

namespace assay::metal {

/// The index of a buffer, of bytes or of threadgroup memory.
inline Result<void> check_index(const char* call, std::uint32_t index, const Limits& limits) {
  if (index < limits.max_buffers) return {};
  return error(Error::Kind::argument, fmt::format("{}: index({}) must be < {}", call, index, limits.max_buffers));
}

inline Result<void> check_offset(const char* call, std::uint64_t offset, std::uint64_t length) {
  if (offset < length) return {};
  return error(Error::Kind::argument, fmt::format("{} offset({}) must be < [buffer length]({})", call, offset, length));
}

inline Result<void> check_bytes(const char* call, std::uint64_t length, const Limits& limits) {
  if (length == 0) return error(Error::Kind::argument, fmt::format("{} buffer length = 0: expected at least 1", call));
  if (length <= limits.max_bytes_length) return {};
  return error(Error::Kind::limit, fmt::format("{} length({}) must be <= {}", call, length, limits.max_bytes_length));
}

inline Result<void> check_threadgroup_length(const char* call, std::uint64_t length, const Limits& limits) {
  if (length % 16 != 0)
    return error(Error::Kind::argument, fmt::format("{} length({}) must be a multiple of 16 bytes.", call, length));
  if (length <= limits.max_threadgroup_memory_length) return {};
  return error(Error::Kind::limit,
               fmt::format("{} length({}) must be <= {}", call, length, limits.max_threadgroup_memory_length));
}

/// `length` is that of a kernel's variables and arguments together.
inline Result<void> check_threadgroup_memory(std::uint64_t length, const Limits& limits) {
  if (length <= limits.max_threadgroup_memory_length) return {};
  return error(Error::Kind::limit,
               fmt::format("Threadgroup memory size ({}) exceeds the maximum threadgroup memory allowed ({})", length,
                           limits.max_threadgroup_memory_length));
}

/// The threads in `groups` threadgroups, saturated at 2^64 - 1.
inline Size threads_of(Size groups, Size group) {
  const auto product = [](std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
    return b != 0 && a > max / b ? max : a * b;
  };
  return {product(groups.width, group.width), product(groups.height, group.height), product(groups.depth, group.depth)};
}

/// Positions in a grid have 32 bits: Metal Shading Language Specification, 5.2.3.6. check_group() limits the group.
inline Result<void> check_grid(const char* call, Size threads, Size group) {
  constexpr std::uint64_t max = std::numeric_limits<std::uint32_t>::max();
  const auto refused = [&](const char* what, const Size& size) {
    return error(Error::Kind::argument, fmt::format("{} {}({}, {}, {}): expected 1 to 2^32 - 1 threads along each axis",
                                                    call, what, size.width, size.height, size.depth));
  };
  const bool is_long = threads.width > max || threads.height > max || threads.depth > max;
  if (group.is_empty()) return refused("threadsPerThreadgroup", group);
  if (threads.is_empty() || is_long) return refused("threads of the grid", threads);
  return {};
}

/// `kernel_limit` is the pipeline's own limit of threads in a group.
inline Result<void> check_group(Size group, std::uint64_t kernel_limit, const Limits& limits) {
  const auto refused = [&](std::uint64_t limit, const char* whose) {
    return error(Error::Kind::limit,
                 fmt::format("(threadsPerThreadgroup.width({}) * threadsPerThreadgroup.height({}) * "
                             "threadsPerThreadgroup.depth({}))({}) must be <= {}. ({} threadgroup size limit)",
                             group.width, group.height, group.depth, group.count(), limit, whose));
  };
  const std::uint64_t device_limit = limits.max_total_threads_per_threadgroup;
  const Size& max = limits.max_threads_per_threadgroup;
  const bool is_long = group.width > max.width || group.height > max.height || group.depth > max.depth;
  if (is_long || group.count() > device_limit) return refused(device_limit, "device");
  if (group.count() > kernel_limit) return refused(kernel_limit, "kernel");
  return {};
}

/// Checks that a buffer of `length` bytes bound at `offset` holds one element of an argument of `kernel`.
inline Result<void> check_room(const std::string& kernel, const Argument& argument, std::uint64_t offset,
                               std::uint64_t length) {
  if (length - offset >= argument.element_size) return {};
  return error(
      Error::Kind::binding,
      fmt::format("Compute Function({}): argument {}[0] from buffer({}) with offset({}) and length({}) has "
                  "space for {} bytes, but argument has a length({}).",
                  kernel, argument.name, argument.index, offset, length, length - offset, argument.element_size));
}

/// Checks a buffer bound at `offset` to an argument of `kernel`.
inline Result<void> check_alignment(const std::string& kernel, const Argument& argument, std::uint64_t offset) {
  if (argument.element_alignment == 0 || offset % argument.element_alignment == 0) return {};
  return error(Error::Kind::binding,
               fmt::format("Compute Function({}): the offset into the buffer {} that is bound at buffer index {} must "
                           "be a multiple of {} but was set to {}.",
                           kernel, argument.name, argument.index, argument.element_alignment, offset));
}

}  // namespace assay::metal
