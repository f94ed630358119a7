// From a number's text to its bytes in Metal: float, half, bfloat, bool, char to ulong, and vectors of these.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::validation {

/// A scalar or a vector: `float3` has 3 components and the size of 4, `packed_float3` has the size of 3.
struct MetalType {
  std::string scalar;
  std::size_t components = 1;
  std::size_t size = 1;  ///< in scalars
};

/// Throws std::invalid_argument if the name is not that of a scalar or vector, for example for a struct.
MetalType metal_type(std::string_view name);

/// The bytes of one number of this scalar type. `text` is a number as in C++, or true or false for bool.
/// Throws std::invalid_argument if the text is no such number or the number does not fit.
std::vector<std::byte> scalar_bytes(const std::string& scalar, const std::string& text);

/// The bytes of the type's numbers nearest to `values`.
std::vector<std::byte> scalar_bytes(const std::string& scalar, std::span<const double> values);

/// Whether it is a floating-point type.
bool is_floating(const std::string& scalar);

/// In bytes.
std::size_t scalar_size(const std::string& scalar);

/// NumPy's name: "float32" of float. NumPy has no bfloat16, which files store as uint16.
std::string numpy_name(const std::string& scalar);

/// The scalar of NumPy's name, or of bfloat16. Throws std::invalid_argument for the name of any other type.
std::string scalar_of_numpy(const std::string& name);

}  // namespace assay::validation
