// What a buffer holds before a kernel runs, from words on the command line.
//
//   random:N      N elements: floating-point ones normal with deviation 1, whole ones 0 to 127
//   zero:N        N elements of zero bits
//   unset:N       N elements that nobody has written; reading them is reported
//   file:PATH     the bytes of a file
//   A,B,C         these numbers, one for each element (for each lane of a vector); a single one for a scalar
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "metal/device/function.h"

namespace assay::validation {

struct BufferContents {
  std::uint64_t length = 0;                     ///< in bytes
  std::optional<std::vector<std::byte>> bytes;  ///< nothing: unset
};

/// The contents that `words` ask for, in elements of the argument's type. Throws std::invalid_argument for words that
/// have no meaning, naming argument and words.
BufferContents buffer_contents(const metal::Argument& argument, const std::string& words, std::uint64_t seed);

}  // namespace assay::validation
