// The text of a compiled kernel's module, made ready for this machine's compiler: one address space, threadgroup memory
// of the emulator's, functions `air.*` that call Metal's, a place for each instruction, and functions that are checked.
//
// For NVIDIA GPUs instead: threadgroup memory in address space 3, from which addresses are cast, no places and no
// checks, and with each collective whether the lanes may have parted where it is called.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/air/metadata.h"
#include "metal/emulator/air/target.h"

namespace assay::metal::emulator::air {

/// A call of a barrier, at its place.
struct ModuleBarrier {
  std::string file;
  std::uint32_t line = 0, column = 0;
  std::uint32_t memory_flags = 0;  ///< abi::MemoryFlags
};

struct TranslatedModule {
  std::string text;   ///< LLVM's, which defines assay_air_kernel
  std::string metal;  ///< the functions in Metal that it calls
  std::vector<ModuleBarrier> barriers;
};

/// `file` names the library in the places of reports: "FILE(kernel, block 7: store float %5, ptr %6):41:3", where 41 is
/// the line of the text. Errors: compile, with the name of what the emulator lacks.
Result<TranslatedModule> translate_module(std::string_view text, const KernelMetadata& kernel, const std::string& file,
                                          Target target);

}  // namespace assay::metal::emulator::air
