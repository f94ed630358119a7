// What a shader and the emulator share at run time: the Services, and the place of a meeting.
#pragma once

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
