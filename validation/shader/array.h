// An array that a kernel takes or has written: the type of its numbers, its shape and its bytes, to and from .npy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "metal/device/buffer.h"
#include "metal/device/function.h"
#include "validation/shader/scalar.h"

namespace assay::validation {

/// Larger arrays take memory on the emulator only where a kernel touches them.
constexpr std::uint64_t large_array = std::uint64_t{1} << 30;

struct ShaderArray {
  std::string scalar;  ///< Metal's name of the numbers' type
  std::vector<std::int64_t> shape;
  std::optional<std::vector<std::byte>> bytes = {};  ///< nothing: unwritten memory
  metal::BufferFill fill = {};                       ///< writes contents that need no copy in `bytes`
  bool is_large_zero = false;                        ///< zeros, too many to write
  std::vector<std::string> functions = {};           ///< the visible functions whose addresses these are: a table
  std::vector<std::string> addresses_of = {};        ///< the arrays whose addresses these are: an argument buffer
  std::string type_key = {};                         ///< the key of a file that states the type: "types.targets"

  bool is_written() const { return bytes || fill || is_large_zero; }  ///< before a kernel runs
  std::uint64_t length() const;                                       ///< in bytes
  std::string summary() const;                                        ///< "float32 [256, 4]"
};

/// The type of the argument's elements; for an atomic, the type of its value. Throws std::invalid_argument for a
/// struct.
MetalType number_type(const metal::Argument& argument);

/// As number_type, but a struct counts as bytes.
MetalType element_of(const metal::Argument& argument);

/// The array of a .npy file. Throws std::invalid_argument if the file cannot be read, is not a valid .npy file, is
/// big-endian or in Fortran order, or does not have numbers of the argument's type. A kernel that takes char, uchar,
/// void or a struct takes numbers of any type, as bytes; one that takes bfloat takes uint16, the bits.
ShaderArray read_npy(const metal::Argument& argument, const std::filesystem::path& path);

/// The array of a .npy file that has the type and the shape of `like`. Throws std::invalid_argument as above, naming
/// the file.
ShaderArray read_npy(const ShaderArray& like, const std::filesystem::path& path);

/// Writes a .npy file in C order; bfloat16 as uint16. Throws std::runtime_error if it cannot be written.
void write_npy(const ShaderArray& array, const std::filesystem::path& path);

}  // namespace assay::validation
