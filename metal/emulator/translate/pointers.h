// For lint: finds pointers and references without an address space, which Metal refuses: Metal Shading Language
// Specification, section 4.
#pragma once

#include <string>
#include <vector>

#include "metal/emulator/translate/declarations.h"

namespace assay::metal::emulator {

/// A message for each, "file:line:column: error: ...", in the order of the text.
std::vector<std::string> unqualified_pointers(const Source& source, const std::vector<Declaration>& declarations);

}  // namespace assay::metal::emulator
