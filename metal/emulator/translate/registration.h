// The C++ text that tells the emulator what a shader has: the tables of shader_abi.h and `assay_shader`.
#pragma once

#include <string>
#include <vector>

#include "metal/emulator/translate/constants.h"
#include "metal/emulator/translate/kernels.h"

namespace assay::metal::emulator {

std::string registration(const Kernels& kernels, const std::vector<ProgramConstant>& constants);

}  // namespace assay::metal::emulator
