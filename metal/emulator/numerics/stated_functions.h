// Functions of a shader or a plug-in's source that the algebra cannot see through, as a polynomial, and what they compute instead:
//
//   #pragma assay exponential_polynomial is exp
//
// The function of that name, in any namespace, is exp of its first argument. If it returns a struct of floats, these are
// an unevaluated sum. Other compilers pass over the line.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "metal/device/result.h"
#include "metal/emulator/numerics/operation.h"

namespace assay::metal::emulator {

using StatedFunctions = std::map<std::string, Operation, std::less<>>;

/// Those of a text. Errors: compile, for a function that is not known.
Result<StatedFunctions> stated_functions(std::string_view text);

/// What is stated of the function that LLVM calls `mangled`, "@_ZN5assay22exponential_polynomialEf", in C "@polynomial".
std::optional<Operation> stated_of(const StatedFunctions& all, std::string_view mangled);

}  // namespace assay::metal::emulator
