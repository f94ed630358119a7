// Numbers as Metal stores them, from their decimal text: float, half, bfloat, bool, char to ulong, and vectors of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay::validation {

/// Of `float3`: float, 3 lanes, in 4 (a vector of three takes the memory of four); of `packed_float3`: in 3.
struct MetalType {
  std::string scalar;
  std::size_t lanes = 1;
  std::size_t stride = 1;  ///< in scalars
};

/// Throws std::invalid_argument for what is no scalar and no vector, for example a struct.
MetalType metal_type(std::string_view name);

/// The bytes of one number of this scalar type; `text` as C++ writes numbers, and true and false for bool.
/// Throws std::invalid_argument where it is no such number or does not fit.
std::vector<std::byte> scalar_bytes(const std::string& scalar, const std::string& text);

/// The bytes of one number as near to `value` as the type has.
std::vector<std::byte> scalar_bytes(const std::string& scalar, double value);

/// Whether the type has fractions.
bool is_floating(const std::string& scalar);

}  // namespace assay::validation
