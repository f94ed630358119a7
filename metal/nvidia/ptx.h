// From the text of a .metal file, or a kernel of a compiled library, to PTX: the emulator's preprocessor and
// translator, then clang for NVIDIA's GPUs. No part of CUDA is needed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/compile/compile.h"

namespace assay::metal::nvidia {

/// The newest architecture that clang compiles for and a GPU of this compute capability runs, for example "sm_90".
/// Errors: environment, for a GPU before sm_70, whose threads of a warp cannot wait for one another.
Result<std::string> architecture_of(int major, int minor);

/// PTX with the entries of translate_for_ptx(), from the cache if it was compiled before. Errors: as compile_source.
Result<std::string> compile_ptx(std::string_view source, const std::filesystem::path& name,
                                const emulator::CompileOptions& options, const std::string& architecture);

/// The same of the kernel that the options name, from a library of Apple's (emulator/air/library_file.h): its entry is
/// the first. Errors: as emulator::compile_file.
Result<std::string> compile_ptx_of_library(const std::filesystem::path& file, const emulator::CompileOptions& options,
                                           const std::string& architecture);

/// The PTX with the limit of threads in a group that entry n has; 0 for none. ptxas then keeps within its registers.
std::string with_thread_limits(const std::string& ptx, const std::vector<std::uint32_t>& limits);

}  // namespace assay::metal::nvidia
