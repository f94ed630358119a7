// From the address of an instruction to file, line and column, by llvm-symbolizer, else by addr2line (without columns).
#pragma once

#include <cstdint>
#include <string>

#include "metal/emulator/check/report.h"

namespace assay::metal::emulator {

/// Where an instruction lies: the file it was loaded from, and its place there. Empty where nothing is loaded.
struct CodePlace {
  std::string object;
  const void* begin = nullptr;  ///< where the file's begin is
  std::uint64_t offset = 0;
};
CodePlace code_place(const void* pc);

/// The place in the source of the call that returns to `offset` of `object`. Places are kept: a child process answers
/// each once. Line 0 where there is no line table, or no symbolizer.
SourcePosition position_of(const std::string& object, std::uint64_t offset);

}  // namespace assay::metal::emulator
