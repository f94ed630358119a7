// For lint: Metal's address spaces as OpenCL's, in which clang tells them apart.
//
//   device -> global_device, constant -> const global_host, threadgroup -> local, thread -> private
//
// The first two are parts of OpenCL's global memory that do not convert to each other; all four convert to a pointer or
// reference without an address space, which is what `this` and the standard library take.
#pragma once

#include <vector>

#include "metal/emulator/translate/declarations.h"
#include "metal/emulator/translate/edits.h"

namespace assay::metal::emulator {

void translate_address_spaces(const Source& source, const std::vector<Declaration>& declarations, Edits& edits);

}  // namespace assay::metal::emulator
