// Which kernels of an operation, and in which words its types are told to them.
#pragma once

#include <type_traits>

#include "metal/cpu/half.h"

namespace assay::metal::host {

/// The production kernels, or those that are to be read beside the papers.
enum class KernelPath { production, plain };

/// Metal's name of a type of inputs and gradients.
template <class Real>
constexpr const char* metal_type() {
  if constexpr (std::is_same_v<Real, float>) return "float";
  if constexpr (std::is_same_v<Real, Half>) return "half";
  if constexpr (std::is_same_v<Real, BFloat16>) return "bfloat";
}

}  // namespace assay::metal::host
