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

}  // namespace assay_shader_side

#else

#define ASSAY_SHADER
#include "../../shader_abi.h"

namespace assay_shader_side {

namespace abi = assay::metal::emulator::abi;
using abi::Scope;
using abi::Site;

inline const abi::Services* services = nullptr;

inline void bind(const abi::Services* given) {
  services = given;
}

/// As the default of a parameter: the place of the call.
__attribute__((no_sanitize("thread"), always_inline)) constexpr Site here(const char* file = __builtin_FILE(),
                                                                          unsigned line = __builtin_LINE(),
                                                                          unsigned column = __builtin_COLUMN()) {
  return {file, line, column};
}

}  // namespace assay_shader_side

#endif
