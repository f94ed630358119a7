// The parameters of a kernel as the table of its arguments has them.
#pragma once

#include <vector>

#include "metal/emulator/translate/kernels.h"

namespace assay::metal::emulator {

/// Of the function whose parameters are in the parentheses that open at `open`.
std::vector<KernelParameter> kernel_parameters(const Source& source, std::size_t open);

/// [first, last) of each parameter.
std::vector<std::pair<std::size_t, std::size_t>> split_parameters(const Source& source, std::size_t open);

}  // namespace assay::metal::emulator
