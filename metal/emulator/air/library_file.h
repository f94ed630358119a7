// Apple's compiled libraries: a .metallib, or one that is inside another file, such as a .dylib. Each kernel is LLVM
// bitcode of its own. No document describes the format. It was read off libraries of MLX and PyTorch, and no part of a
// file is trusted: what does not fit is an error that names it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "metal/device/result.h"

namespace assay::metal::emulator::air {

struct Version {
  unsigned major = 0, minor = 0;
  bool operator==(const Version&) const = default;
};

struct LibraryKernel {
  std::string name;
  std::uint64_t offset = 0, bytes = 0;  ///< of its bitcode in the file
  Version air, language;
};

struct Library {
  std::uint64_t offset = 0, bytes = 0;  ///< in the file
  std::string system;                   ///< that it is made for: "macOS 14.0"
  std::vector<LibraryKernel> kernels;
};

/// The bytes [offset, offset + size) of a file of `size` bytes. Callers ask for no others.
struct Bytes {
  std::uint64_t size = 0;
  std::function<Result<std::string>(std::uint64_t offset, std::uint64_t size)> read;
};

/// The library that begins at `offset`. Errors: argument, with the place and what was expected there.
Result<Library> read_library(const Bytes& bytes, std::uint64_t offset);

/// All libraries, found by their first bytes. Errors: as above, if none of them can be read.
Result<std::vector<Library>> find_libraries(const Bytes& bytes);

}  // namespace assay::metal::emulator::air
