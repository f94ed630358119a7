// Extents of grids and threadgroups, and the limits of a device.
#pragma once

#include <cstdint>

namespace assay::metal {

/// Threads or threadgroups along x, y and z; MTLSize.
struct Size {
  std::uint64_t width = 1, height = 1, depth = 1;

  std::uint64_t count() const { return width * height * depth; }  ///< which overflows for large extents
  bool is_empty() const { return width == 0 || height == 0 || depth == 0; }
  bool operator==(const Size&) const = default;
};

/// Metal Feature Set Tables, GPU family Apple 4 and later. Lengths in bytes.
struct Limits {
  std::uint32_t thread_execution_width = 32;
  std::uint32_t max_total_threads_per_threadgroup = 1024;
  Size max_threads_per_threadgroup{1024, 1024, 1024};
  std::uint64_t max_threadgroup_memory_length = 32768;
  std::uint32_t max_buffers = 31;
  std::uint64_t max_bytes_length = 4096;  ///< of set_bytes
  std::uint64_t max_buffer_length = 0;
  std::uint64_t recommended_max_working_set_size = 0;
};

}  // namespace assay::metal
