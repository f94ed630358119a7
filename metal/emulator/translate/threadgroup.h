// `threadgroup` in front of a variable becomes memory of the group; in front of a pointer or reference it goes away.
//
//   threadgroup float rows[2][N], top;
//     ->  for each a key, a type and a reference, from Services::threadgroup_variable
//   threadgroup float* row  ->  float* row
//
// An initializer has no effect: Apple's compiler takes one, but nothing documents that the memory then holds it, and
// initcheck tells who reads it unwritten. A variable taken for a pointer would be a private copy with wrong results and
// no report, so whatever cannot be told apart is refused.
#pragma once

#include <vector>

#include "metal/emulator/translate/declarations.h"
#include "metal/emulator/translate/edits.h"

namespace assay::metal::emulator {

/// A format of the C++ text for a variable: {0} is a number of its own, {1} its type, {2} its name.
extern const char* const run_threadgroup_variable;
extern const char* const lint_threadgroup_variable;

void translate_threadgroup(const Source& source, const std::vector<Declaration>& declarations, const char* variable,
                           Edits& edits);

}  // namespace assay::metal::emulator
