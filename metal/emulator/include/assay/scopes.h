// Memory, order and scope, as barriers, fences and atomic functions name them. Metal Shading Language Specification,
// sections 6.9.1 and 6.15. Apple's compiler knows these names without any #include.
#pragma once

#include <assay/scalar.h>

namespace metal {

enum class mem_flags : uint {
  mem_none = 0,
  mem_device = 1,
  mem_threadgroup = 2,
  mem_device_and_threadgroup = 3,  // of Metal 1
  mem_texture = 4,
  mem_threadgroup_imageblock = 8,
  mem_object_data = 16
};
ASSAY_OWN constexpr mem_flags operator|(mem_flags a, mem_flags b) {
  return mem_flags(uint(a) | uint(b));
}
ASSAY_OWN constexpr mem_flags operator&(mem_flags a, mem_flags b) {
  return mem_flags(uint(a) & uint(b));
}

enum memory_order {
  memory_order_relaxed = 0,
  memory_order_acquire = 2,
  memory_order_release = 3,
  memory_order_acq_rel = 4,
  memory_order_seq_cst = 5
};

/// Shaders cast the number of a scope that Apple's headers leave out, 3 (the system), to this type.
enum thread_scope {
  thread_scope_thread = 0,
  thread_scope_threadgroup = 1,
  thread_scope_device = 2,
  thread_scope_simdgroup = 4
};

}  // namespace metal
