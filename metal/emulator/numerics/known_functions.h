// The mathematical functions that clang calls for Metal's, by the names that LLVM and the C library give them.
#pragma once

#include <optional>
#include <string_view>

#include "metal/emulator/numerics/operation.h"

namespace assay::metal::emulator {

struct KnownFunction {
  enum class Kind {
    operation,  ///< of as many operands as it has arguments
    choice,     ///< the result is one of the arguments: fmin, fmax
    scaling,    ///< ldexp: the second operand is an integer
    sign,       ///< copysign: the first argument or its negative
    whole       ///< floor and the like: the result is exact by definition
  };
  Kind kind;
  Operation operation = Operation::add;
};

/// The function that LLVM calls "@llvm.exp.f32", "@expf", "@exp" or "@expl"; none if the callee is not known.
std::optional<KnownFunction> known_function(std::string_view callee);

}  // namespace assay::metal::emulator
