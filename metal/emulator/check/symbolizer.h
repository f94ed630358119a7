// From the address of an instruction to its file, line and column, by llvm-symbolizer or by addr2line (no columns).
#pragma once

#include <cstdint>
#include <string>

#include "metal/emulator/check/report.h"

namespace assay::metal::emulator {

/// Where an instruction is: the file it was loaded from, and its offset there. Empty if it was not loaded from a file.
struct CodePlace {
  std::string object;
  const void* begin = nullptr;  ///< the address of the file's begin
  std::uint64_t offset = 0;
};
CodePlace code_place(const void* pc);

/// The place in the source of the call that returns to `offset` of `object`. Line 0 if there is no line table or no
/// symbolizer. Answers are kept, since each takes a child process.
SourcePosition position_of(const std::string& object, std::uint64_t offset);

}  // namespace assay::metal::emulator
