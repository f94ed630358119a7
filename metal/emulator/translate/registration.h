// The C++ text with which a shader describes itself to the emulator: the tables of shader_abi.h and `assay_shader`.
#pragma once

#include <string>
#include <vector>

#include "metal/emulator/translate/constants.h"
#include "metal/emulator/translate/kernels.h"

namespace assay::metal::emulator {

std::string registration(const Kernels& kernels, const std::vector<ProgramConstant>& constants);

}  // namespace assay::metal::emulator
