// Merges functions, and specializations of classes, that differ in address spaces only: without address spaces they
// would be declared twice.
//
//   float load(device const float* p) { return *p; }        float get() const thread { return x; }
//   float load(threadgroup const float* p) { return *p; }   float get() const device { return x; }
//
// The second of two is removed if it has the same body, else refused.
#pragma once

#include <vector>

#include "metal/emulator/translate/declarations.h"
#include "metal/emulator/translate/edits.h"

namespace assay::metal::emulator {

void merge_overloads(const Source& source, const std::vector<Declaration>& declarations, Edits& edits);

}  // namespace assay::metal::emulator
