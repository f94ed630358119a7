// The two sets of kernels of each operation, and Metal's names of the types.
#pragma once

#include <type_traits>

#include "metal/cpu/half.h"

namespace assay::metal::host {

/// The fast kernels, or those that follow the papers line by line.
enum class KernelPath { production, plain };

/// Metal's name of the type.
template <class Real>
constexpr const char* metal_type() {
  if constexpr (std::is_same_v<Real, float>) return "float";
  if constexpr (std::is_same_v<Real, Half>) return "half";
  if constexpr (std::is_same_v<Real, BFloat16>) return "bfloat";
}

}  // namespace assay::metal::host
