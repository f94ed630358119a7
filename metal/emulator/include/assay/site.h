// The Services, and the sites of barriers and collectives: a shader and the emulator share them at run time.
#pragma once

#if ASSAY_LINT

// Lint runs nothing, so sites are empty.
namespace assay_shader_side {

enum class Scope { threadgroup, simdgroup, quadgroup };
enum class Needs { active_lanes, read_lanes, all_lanes, no_lanes };
struct Site {};
struct ActiveLanes {
  unsigned long active;
  unsigned lane;
};
struct Services {
  ActiveLanes all_gather(Scope, const void*, unsigned long, void*, const Site*) const;
  void undefined_lane(Scope, unsigned, const Site*) const;
  void barrier(Scope, unsigned, const Site*) const;
};
static const Services* services;
constexpr Site here(const char*, Needs = Needs::active_lanes) {
  return {};
}
void wait_at_threadgroup_barrier(unsigned flags, Site site);
void wait_at_simdgroup_barrier(unsigned flags, Site site);

}  // namespace assay_shader_side

#elif ASSAY_NVPTX

#include <assay/nvptx/site.h>

#else

// Accesses and basic blocks of this file are not reported to the emulator.
#pragma clang attribute push(__attribute__((no_sanitize("thread", "coverage"))), apply_to = function)

#define ASSAY_SHADER
#include "../../abi/context.h"
#include "../../abi/log.h"
#include "../../abi/texture.h"

// shader_abi.h uses the headers above and cannot include them: shaders and the emulator find them by different paths.
#include "../../abi/shader_abi.h"

namespace assay_shader_side {

namespace abi = assay::metal::emulator::abi;
using abi::Needs;
using abi::Scope;
using abi::Site;

inline const abi::Services* services = nullptr;
inline unsigned long fast_barrier_offset = 0;  ///< Services::fast_barrier_offset
inline unsigned long blocks_left_offset = 0;   ///< Services::blocks_left_offset
inline abi::BarrierChange barrier_change = {};

inline void bind(const abi::Services* given) {
  services = given;
  fast_barrier_offset = given->fast_barrier_offset;
  blocks_left_offset = given->blocks_left_offset;
}

/// The site of the call of an operation, as the default value of the operation's parameter.
__attribute__((always_inline)) constexpr Site here(const char* operation, Needs needs = Needs::active_lanes,
                                                   const char* file = __builtin_FILE(),
                                                   unsigned line = __builtin_LINE(),
                                                   unsigned column = __builtin_COLUMN()) {
  return {file, line, column, operation, needs};
}

/// Stands behind `return` in a function without a value.
constexpr void leave(Site site = here("return")) {
  if (!__builtin_is_constant_evaluated()) services->leave(&site);
}

/// If this is the fast barrier and another thread is ready, switches to that thread and returns true once this one runs
/// again. Else returns false: the thread must call the Services.
__attribute__((always_inline, nodebug)) inline bool waited_at_fast_barrier([[maybe_unused]] unsigned flags,
                                                                           [[maybe_unused]] Site site) {
#if defined(__x86_64__)
  constexpr int relative_to_fs = 257;  // clang's number of this address space
  using FastBarriers = abi::FastBarrier* const __attribute__((address_space(relative_to_fs)))*;
  abi::FastBarrier& fast = **reinterpret_cast<FastBarriers>(fast_barrier_offset);
  const abi::ReadyThread* const running = fast.running;
  if (running[1].context != nullptr && site.file == fast.file && abi::line_and_column(site) == fast.position &&
      flags == fast.flags) {
    fast.running = running + 1;
    assay::metal::emulator::switch_context(*running[0].context, *running[1].context);
    return true;
  }
#endif
  return false;
}

/// Whether the barrier at `site` has been deleted. Changes its flags if it has been weakened.
__attribute__((always_inline, nodebug)) inline bool is_deleted(unsigned& flags, const Site& site) {
  if (abi::line_and_column(site) != barrier_change.position) return false;
  if (*barrier_change.file != 0 && __builtin_strcmp(site.file, barrier_change.file) != 0) return false;
  flags = barrier_change.memory_flags;
  return barrier_change.is_deleted != 0;
}

/// Returns when all unfinished threads of the group have arrived.
__attribute__((always_inline, nodebug)) inline void wait_at_threadgroup_barrier(unsigned flags, Site site) {
  if (is_deleted(flags, site)) return;
  if (waited_at_fast_barrier(flags, site)) return;
  const Site here = site;
  services->barrier(Scope::threadgroup, flags, &here);
}
__attribute__((always_inline, nodebug)) inline void wait_at_simdgroup_barrier(unsigned flags, Site site) {
  if (is_deleted(flags, site)) return;
  const Site here = site;
  services->barrier(Scope::simdgroup, flags, &here);
}

}  // namespace assay_shader_side

#pragma clang attribute pop

#endif
