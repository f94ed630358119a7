// The header of NumPy's .npy format: one array per file.
//
//   "\x93NUMPY"  major minor  header_length (little endian; 2 bytes in version 1, 4 in versions 2 and 3)
//   {'descr': '<f4', 'fortran_order': False, 'shape': (150, 2, 28), }  spaces  "\n"  elements
//
// Source: numpy.lib.format, NEP 1. Read here: plain numbers, booleans and unicode text of either byte order, and
// elements of one or two bytes that NumPy has no type for: ml_dtypes saves bfloat16 as '<V2' and float8 as '<V1'.
// Refused: Python objects (pickles, which are programs), structured types, and a file whose size is not exactly what
// its header says. Sizes that a header claims are compared with the size of the file before any memory is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::validation {

struct NpyHeader {
  char kind = 'f';  ///< b boolean, i signed, u unsigned, f floating point, U unicode, V bits without a meaning
  std::size_t item_size = 4;   ///< bytes per element; of U: 4 per character
  bool big_endian = false;     ///< most significant byte first
  bool fortran_order = false;  ///< first index fastest
  std::vector<std::int64_t> shape;
  std::size_t data_offset = 0;  ///< where the elements start in the file

  std::size_t size() const;     ///< number of elements
  std::string dtype() const;    ///< as NumPy prints it: "float32", ">i8", "<U4"
  std::string summary() const;  ///< "float32 [150, 2, 28]"
};

/// The unsigned number in at most 8 bytes.
std::uint64_t load_unsigned(std::string_view bytes, bool big_endian);

/// The largest number of bytes that a header and what precedes the header may take: NumPy's own limit.
inline constexpr std::size_t npy_header_limit = 12 + 10'000;

/// Reads the header at the beginning of a file of `file_size` bytes, of which `beginning` is all or the first
/// npy_header_limit. Throws std::invalid_argument, saying what was found and what was expected.
NpyHeader parse_npy_header(std::string_view beginning, std::uint64_t file_size);

}  // namespace assay::validation
