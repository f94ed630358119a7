// Metal's scalar types, by name: the types of the elements of a shader's arrays and values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::validation::transport {

/// A scalar type: float, half, bfloat, bool, or char to ulong.
struct MetalScalar {
  std::string_view name;
  std::size_t bytes;
  bool is_floating;
  double lowest, highest;                   ///< of an integer type: the limits of numbers that double holds too
  void (*store)(double value, std::byte*);  ///< rounded to the type
  double (*load)(const std::byte*);
};

/// The scalar of this name, or null.
const MetalScalar* find_metal_scalar(std::string_view name);

/// The names of all scalars, for messages: "float, half, ...".
std::string metal_scalar_names();

/// The scalar of an argument's element type: float for float4. Null for a struct, an atomic or void.
const MetalScalar* scalar_of_element(std::string_view element_type);

/// Whether the type can hold the number: any for a floating-point type, else an integer in range.
bool holds(const MetalScalar& type, double value);

}  // namespace assay::validation::transport
