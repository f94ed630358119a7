// The contents of a buffer before a kernel runs, as the command line describes them.
//
//   PATH.npy           the array of a file; its type and shape are checked
//   random:SHAPE       floating-point numbers from the standard normal distribution, integers from 0 to 127
//   zero:SHAPE         zero bits
//   unset:SHAPE        elements that nobody has written; reading them is reported
//   file:PATH          the bytes of a file; of a .npy, the array
//   A,B,C              numbers, one for each element, or one for each component of a vector
//   functions:NAME,... a table of visible functions, on the emulator only
//   buffers:NAME,...   the addresses of other arrays: an argument buffer with buffers inside, on the emulator only
//
// SHAPE is a number of elements of the argument's type, or 256x4. With a dtype, unset:256x4:float16, the numbers are of
// that type, for arguments whose own type says little, such as char or a struct.
#pragma once

#include <cstdint>
#include <string>

#include "metal/device/function.h"
#include "validation/shader/array.h"

namespace assay::validation {

/// The most bytes that contents may take, but those in pages that exist only where they are touched.
std::uint64_t quarter_of_memory();

/// The contents that `words` describe, for the argument. Throws std::invalid_argument, with the buffer's name, the
/// words and the argument, if the words are none of the above.
ShaderArray buffer_contents(const metal::Argument& argument, const std::string& name, const std::string& words,
                            std::uint64_t seed);

/// The contents of an array of which no argument tells the type: it is a .npy, or `words` end with the dtype. Throws as
/// above.
ShaderArray resource_contents(const std::string& name, const std::string& words, std::uint64_t seed);

}  // namespace assay::validation
