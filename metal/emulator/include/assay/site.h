// What a shader and the emulator share at run time: the Services, and the place of a meeting.
#pragma once

#if ASSAY_LINT

// Nothing is run: the place of a meeting is of no account.
namespace assay_shader_side {

enum class Scope { threadgroup, simdgroup, quadgroup };
struct Site {};
struct Meeting {
  unsigned long active;
  unsigned lane;
};
struct Services {
  Meeting exchange(Scope, const void*, unsigned long, void*, const Site*) const;
  void barrier(Scope, unsigned, const Site*) const;
};
static const Services* services;
constexpr Site here() {
  return {};
}
void wait_at_threadgroup_barrier(unsigned flags, Site site);

}  // namespace assay_shader_side

#else

// What is here asks the emulator for nothing.
#pragma clang attribute push(__attribute__((no_sanitize("thread", "coverage"))), apply_to = function)

#define ASSAY_SHADER
#include "../../shader_abi.h"
#include "../../simt/context.h"

namespace assay_shader_side {

namespace abi = assay::metal::emulator::abi;
using abi::Scope;
using abi::Site;

inline const abi::Services* services = nullptr;
inline unsigned long round_offset = 0;  ///< the Services'

inline void bind(const abi::Services* given) {
  services = given;
  round_offset = given->round_offset;
}

/// As the default of a parameter: the place of the call.
__attribute__((always_inline)) constexpr Site here(const char* file = __builtin_FILE(),
                                                   unsigned line = __builtin_LINE(),
                                                   unsigned column = __builtin_COLUMN()) {
  return {file, line, column};
}

/// Gives way to the next thread where the Round says that nothing else is to be done.
__attribute__((always_inline, nodebug)) inline bool gave_way([[maybe_unused]] unsigned flags,
                                                             [[maybe_unused]] Site site) {
#if defined(__x86_64__)
  constexpr int thread_pointer = 257;  // clang's number for what is relative to the register fs
  using Rounds = abi::Round* const __attribute__((address_space(thread_pointer)))*;
  abi::Round& round = **reinterpret_cast<Rounds>(round_offset);
  const abi::Turn* const turn = round.turn;
  if (turn[1].context != nullptr && site.file == round.file && abi::line_and_column(site) == round.place &&
      flags == round.flags) {
    round.turn = turn + 1;
    assay::metal::emulator::switch_context(*turn[0].context, *turn[1].context);
    return true;
  }
#endif
  return false;
}

/// Returns when all threads of the group have come there.
__attribute__((always_inline, nodebug)) inline void wait_at_threadgroup_barrier(unsigned flags, Site site) {
  if (gave_way(flags, site)) return;
  const Site here = site;
  services->barrier(Scope::threadgroup, flags, &here);
}

}  // namespace assay_shader_side

#pragma clang attribute pop

#endif
