// The freedom that a mode of arithmetic gives, in LLVM's text as clang writes it before any optimisation: divisions of
// float by a reciprocal, and NaN and infinities as arguments.
#pragma once

#include <string>
#include <string_view>

namespace assay::metal::emulator {

/// The module with calls of assay_math_fast_divide (include/assay/arithmetic.h) in place of these divisions. Which they are,
/// clang says: in relaxed and fast arithmetic all, except where a pragma asks for the safe one.
std::string with_inexact_division(std::string_view text);

/// The module without clang's promise that arguments and results are never NaN or infinite. In fast arithmetic clang
/// gives it for all functions, even where a pragma asks for the safe one.
std::string with_infinite_arguments(std::string text);

}  // namespace assay::metal::emulator
