// `threadgroup` in front of a variable becomes memory of the group; in front of a pointer or reference it goes away.
//
//   threadgroup float rows[2][N], top;   ->   a key, a type and a reference for each, from
//   Services::threadgroup_variable threadgroup float* row               ->   float* row
//
// An initializer has no effect: Apple's compiler takes one, but nothing documents that the memory then holds it, and
// initcheck tells who reads it unwritten. A variable taken for a pointer would be a private copy with wrong results and
// no report, so whatever cannot be told apart is refused.
#pragma once

#include <vector>

#include "metal/emulator/translate/declarations.h"
#include "metal/emulator/translate/edits.h"

namespace assay::metal::emulator {

void translate_threadgroup(const Source& source, const std::vector<Declaration>& declarations, Edits& edits);

}  // namespace assay::metal::emulator
