// Turns `threadgroup` variables into references to memory of the group; removes `threadgroup` from pointers and
// references.
//
//   threadgroup float rows[2][N], top;
//     ->  for each variable a key, a type and a reference, from Services::threadgroup_variable
//   threadgroup float* row  ->  float* row
//
// An initializer has no effect: Apple's compiler accepts one, but no document says that the memory then holds it, and
// initcheck reports a read that relies on it. A variable mistaken for a pointer would become a private copy, with wrong
// results and no report. So everything ambiguous is refused.
#pragma once

#include <vector>

#include "metal/emulator/translate/declarations.h"
#include "metal/emulator/translate/edits.h"

namespace assay::metal::emulator {

/// The C++ text for a variable, as a format: {0} is a unique number, {1} its type, {2} its name.
extern const char* const run_threadgroup_variable;
extern const char* const lint_threadgroup_variable;

void translate_threadgroup(const Source& source, const std::vector<Declaration>& declarations, const char* variable,
                           Edits& edits);

}  // namespace assay::metal::emulator
