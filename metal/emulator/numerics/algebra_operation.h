// What an operation makes of its operands' residues.
#pragma once

#include <array>

#include "metal/emulator/numerics/operation.h"
#include "reference/number/residue.h"

namespace assay::metal::emulator {

/// `values` are those of the run, which decides signs.
reference::Residue computed(Operation operation, const Operands& values,
                            const std::array<reference::Residue, 3>& operands);

}  // namespace assay::metal::emulator
