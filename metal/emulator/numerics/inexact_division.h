// Divisions of float that may be done by a reciprocal, in LLVM's text as clang writes it before any optimisation.
#pragma once

#include <string>
#include <string_view>

namespace assay::metal::emulator {

/// The module with calls of assay_math_divide (include/assay/arithmetic.h) in place of these divisions. Which they are,
/// clang says: in relaxed and fast arithmetic all, except where a pragma asks for the safe one.
std::string with_inexact_division(std::string_view text);

}  // namespace assay::metal::emulator
