// The residues of a script's arrays, from and to files: ShaderScript::residues.
#pragma once

#include <map>
#include <string>

#include "validation/shader/buffers.h"
#include "validation/shader/script.h"

namespace assay::metal::emulator {
class Algebra;
}

namespace assay::validation {

/// Throws std::invalid_argument for a file that does not have the residues of an array's elements.
void read_residues(const ShaderScript& script, const std::map<std::string, ShaderArray>& arrays,
                   const ShaderBuffers& buffers, metal::emulator::Algebra& algebra);

/// Of the arrays of floating-point numbers.
void write_residues(const ShaderScript& script, const std::map<std::string, ShaderArray>& arrays,
                    const ShaderBuffers& buffers, metal::emulator::Algebra& algebra);

}  // namespace assay::validation
