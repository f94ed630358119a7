// Arrays in NumPy's .npy format (see npy_header.h): read into row-major numbers, and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "validation/core/npy_header.h"

namespace assay::validation {

struct NpyArray {
  NpyHeader header;
  std::string bytes;  ///< the elements alone, in the file's order
};

/// Parses a whole file. Throws std::invalid_argument if the file is not a valid array.
NpyArray parse_npy(std::string_view file);

/// The file of an array: version 1, elements aligned to 64 bytes, as NumPy writes it. Throws std::invalid_argument
/// if the elements do not fill the shape.
std::string format_npy(const NpyArray& array);

/// The float32 array of an array of the bits of bfloat16: of unsigned integers or of V2.
NpyArray npy_from_bfloat16_bits(const NpyArray& array);

/// Elements in row-major order. float16 and float32 are exact, the bits of a float32 NaN included; float64 is rounded
/// to nearest, `rounded` counting the values that changed, and refused with std::invalid_argument where a finite value
/// would become infinite.
std::vector<float> npy_floats(const NpyArray& array, std::size_t& rounded);

/// Elements in row-major order, of float16, float32 or float64, exact.
std::vector<double> npy_doubles(const NpyArray& array);

/// Elements in row-major order. Any integer type; std::invalid_argument for others and for values above 2^63 - 1.
std::vector<std::int64_t> npy_integers(const NpyArray& array);

/// The one element of an array of shape []. std::invalid_argument for other shapes and types, and for non-ASCII text.
std::string npy_text(const NpyArray& array);
bool npy_flag(const NpyArray& array);
/// As above, for any integer or floating-point type.
double npy_number(const NpyArray& array);

/// Arrays as this program writes them: little endian, row-major.
NpyArray npy_array(const std::vector<float>& elements, std::vector<std::int64_t> shape);
NpyArray npy_array(const std::vector<double>& elements, std::vector<std::int64_t> shape);
NpyArray npy_array(const std::vector<std::int64_t>& elements, std::vector<std::int64_t> shape);
NpyArray npy_text_array(std::string_view text);
NpyArray npy_flag_array(bool value);
NpyArray npy_number_array(double value);

}  // namespace assay::validation
