// Puts calls of the hooks in include/assay/numerics.h behind the floating-point operations of a shader, or of those in
// include/assay/library_numerics.h behind those of a shared library.
//
// Each floating-point value gets a companion: the number of the tape's entry (tape.h) that tells how it was computed,
// or 0 for a value that is exact by definition. Companions go through registers, phi, select, and the parameters and
// results of functions. A local variable of a scalar type has one beside it; for all other memory the hooks keep them
// by address. What clang passes as <2 x float>, i64 and the like, because the platform's calling convention wants it
// so, is followed by the address at which it was read.
#pragma once

#include <string>
#include <string_view>

#include "metal/emulator/numerics/stated_functions.h"

namespace assay::metal::emulator {

/// Is changed with what the functions below write, so that no compiled shader of another one is taken from a cache.
inline constexpr int instrumentation = 4;

/// `text` is LLVM's representation as clang writes it before any optimisation, with names of values. Operations in
/// functions of the folder `headers` belong to the lines that call them.
std::string instrument_numerics(std::string_view text, const std::string& headers, const StatedFunctions& stated = {});

/// The same for one of the sources of a shared library, which may have several threads and throw exceptions. Operations
/// of the C++ standard library belong to the lines that call it.
std::string instrument_library_numerics(std::string_view text, const StatedFunctions& stated = {});

}  // namespace assay::metal::emulator
