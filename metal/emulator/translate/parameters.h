// The parameters of a kernel, as its table of arguments needs them.
#pragma once

#include <vector>

#include "metal/emulator/translate/kernels.h"

namespace assay::metal::emulator {

/// The parameters in the parentheses that open at `open`.
std::vector<KernelParameter> kernel_parameters(const Source& source, std::size_t open);

/// The tokens [first, last) of each parameter.
std::vector<std::pair<std::size_t, std::size_t>> split_parameters(const Source& source, std::size_t open);

}  // namespace assay::metal::emulator
