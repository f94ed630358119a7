// Metal's scalar types by name: float, half, bfloat, bool, char to ulong; numbers and their texts as bytes of a type,
// and vectors of these.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::validation {

struct MetalScalar {
  std::string_view name;
  std::string_view numpy;  ///< "float32" of float. NumPy has no bfloat16, which files store as uint16
  std::size_t bytes;
  bool is_floating;
  double lowest, highest;                                       ///< of an integer type: numbers that double holds too
  std::vector<std::byte> (*bytes_of)(const std::string& text);  ///< scalar_bytes()
  void (*store)(double value, std::byte*);                      ///< rounded to the type
  double (*load)(const std::byte*);
};

/// The scalar of this name, an alias like uint32_t among them, or null.
const MetalScalar* find_scalar(std::string_view name);

/// The names of all scalars without the aliases, for messages: "float, half, ...".
std::string scalar_names();

/// Whether the type can hold the number: any for a floating-point type, else an integer in range.
bool holds(const MetalScalar& type, double value);

/// A scalar or a vector: `float3` has 3 components and the size of 4, `packed_float3` has the size of 3.
struct MetalType {
  std::string scalar;
  std::size_t components = 1;
  std::size_t size = 1;  ///< in scalars
};

/// Throws std::invalid_argument if the name is not that of a scalar or vector, for example for a struct.
MetalType metal_type(std::string_view name);

/// The scalar of an argument's element type: float for float4. Null for a struct, an atomic or void.
const MetalScalar* scalar_of_element(std::string_view element_type);

/// The bytes of one number of this scalar type. `text` is a number as in C++, or true or false for bool; an integer may
/// be written as 4e9. Throws std::invalid_argument if the text is no such number or the number does not fit.
std::vector<std::byte> scalar_bytes(const std::string& scalar, const std::string& text);

/// The bytes of the type's numbers nearest to `values`.
std::vector<std::byte> scalar_bytes(const std::string& scalar, std::span<const double> values);

/// Whether it is a floating-point type.
bool is_floating(const std::string& scalar);

/// In bytes.
std::size_t scalar_size(const std::string& scalar);

/// NumPy's name of the scalar.
std::string numpy_name(const std::string& scalar);

/// The scalar of NumPy's name, or of bfloat16. Throws std::invalid_argument for the name of any other type.
std::string scalar_of_numpy(const std::string& name);

}  // namespace assay::validation
