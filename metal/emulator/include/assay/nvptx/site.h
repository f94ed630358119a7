// The sites of barriers and collectives on an NVIDIA GPU, where the hardware itself runs the threads of a group.
//
// The lanes of a warp may drift apart there. A collective that all lanes execute first brings them together again. One
// under a condition that differs between lanes takes those that execute it with the calling lane: the translator has
// marked it as `diverging`.
#pragma once

#define ASSAY_SHADER
#include "../../../abi/log.h"
#include "../../../abi/texture.h"

// shader_abi.h uses the headers above and cannot include them: shaders and the emulator find them by different paths.
#include "../../../abi/shader_abi.h"

namespace assay_shader_side {

namespace abi = assay::metal::emulator::abi;
using abi::Needs;
using abi::Scope;

struct Site {
  bool is_diverging = false;
};
inline constexpr Site diverging{true};

constexpr Site here(const char*, Needs = Needs::active_lanes) {
  return {};
}
constexpr void leave() {}

/// A threadgroup variable, whose storage is aligned to 16 bytes. clang forgets that of a constant address in another
/// address space, and would load neighbours one by one: so the address is none, until ptxas sees the zero.
template <class T>
__attribute__((always_inline)) inline T& aligned_variable(char* storage) {
  unsigned zero;
  asm("mov.u32 %0, 0;" : "=r"(zero));
  return *(T*)__builtin_assume_aligned(storage + zero, 16);
}

inline constexpr unsigned whole_warp = 0xffffffffu;

__attribute__((always_inline)) inline void wait_at_threadgroup_barrier(unsigned, Site) {
  __syncthreads();
}
__attribute__((always_inline)) inline void wait_at_simdgroup_barrier(unsigned, Site) {
  __nvvm_bar_warp_sync(whole_warp);
}

}  // namespace assay_shader_side
