// For lint: translates Metal's address spaces to OpenCL's, which clang tells apart.
//
//   device -> global_device, constant -> const global_host, threadgroup -> local, thread -> private
//
// The first two are parts of OpenCL's global memory that do not convert to each other. All four convert to a pointer or
// reference without an address space, such as `this` and the standard library's parameters.
#pragma once

#include <vector>

#include "metal/emulator/translate/declarations.h"
#include "metal/emulator/translate/edits.h"

namespace assay::metal::emulator {

void translate_address_spaces(const Source& source, const std::vector<Declaration>& declarations, Edits& edits);

}  // namespace assay::metal::emulator
