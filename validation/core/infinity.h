// Infinity in the two precisions of a kernel's numbers.
#pragma once

#include <limits>

namespace assay::validation {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr float float_infinity = std::numeric_limits<float>::infinity();

}  // namespace assay::validation
