// Infinity and NaN under the names that many tests use, for the type that these tests compare.
#pragma once

#include <limits>

namespace assay::tests {

inline namespace floats {
constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
}

namespace doubles {
constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
}

}  // namespace assay::tests
