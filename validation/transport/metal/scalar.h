// The scalars that a shader's arrays and values are made of, by Metal's names, and their numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::validation::transport {

/// A number that bytes hold: float, half, bfloat, bool, or char to ulong.
struct MetalScalar {
  std::string_view name;
  std::size_t bytes;
  bool is_floating;
  double lowest, highest;                   ///< of an integer: the numbers it holds that double holds too
  void (*store)(double value, std::byte*);  ///< rounded to the type
  double (*load)(const std::byte*);
};

/// The scalar of this name, or null.
const MetalScalar* find_metal_scalar(std::string_view name);

/// "float, half, ...": for messages.
std::string metal_scalar_names();

/// The scalar that an element of an argument is made of: of float4 float. Null for a struct, an atomic or void.
const MetalScalar* scalar_of_element(std::string_view element_type);

/// Can the type hold this number as it is?
bool holds(const MetalScalar& type, double value);

}  // namespace assay::validation::transport
