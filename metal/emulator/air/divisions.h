// Integer divisions and remainders, of which Apple's compiler assumes that the divisor is not zero.
#pragma once

#include <optional>
#include <string>

#include "metal/emulator/numerics/ir_text.h"

namespace assay::metal::emulator::air {

/// The instructions in front of a division by a scalar variable that tell the emulator of it. `site` is the name of its
/// site, and `number` one that no other division of the module has. Nothing for other instructions.
std::optional<std::string> before_division(const ir::Instruction& instruction, const std::string& site,
                                           std::size_t number);

/// Whether the instruction is such a division.
bool is_checked_division(const ir::Instruction& instruction);

}  // namespace assay::metal::emulator::air
