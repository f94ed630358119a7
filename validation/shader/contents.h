// The contents of a buffer before a kernel runs, as the command line describes them.
//
//   random:N      N elements: floating-point numbers from the standard normal distribution, integers from 0 to 127
//   zero:N        N elements of zero bits
//   unset:N       N elements that nobody has written; reading them is reported
//   file:PATH     the bytes of a file
//   A,B,C         numbers, one for each element, or one for each component of a vector
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

/// The contents that `words` describe, in elements of the argument's type. Throws std::invalid_argument, with the
/// argument and the words, if the words are none of the above.
BufferContents buffer_contents(const metal::Argument& argument, const std::string& words, std::uint64_t seed);

}  // namespace assay::validation
