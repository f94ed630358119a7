// The functions `air.*` that compiled kernels call: Metal's standard library. Each becomes a definition in the text of
// the module, which takes vectors apart and calls a function of scalars, and that function in Metal.
#pragma once

#include <string>
#include <string_view>

#include "metal/device/result.h"
#include "metal/emulator/numerics/ir_text.h"

namespace assay::metal::emulator::air {

struct Builtin {
  std::string definition;  ///< in LLVM's text, in the place of the module's declaration
  std::string function;    ///< the function in Metal that it calls; empty if it needs none
  std::string metal;       ///< the text of that function
  std::string operation;   ///< a barrier or a collective takes the site of its call as a last argument: its name
  unsigned needs = 0;      ///< abi::Needs of that site
  bool has_site() const { return !operation.empty(); }
};

/// `declaration` is that of a function `@air.*`. Errors: compile, with the function's name, if the emulator lacks it.
Result<Builtin> builtin(const ir::Call& declaration);

}  // namespace assay::metal::emulator::air
