// Finds the compiler of shaders, and runs it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/compile/child.h"

namespace assay::metal::emulator {

struct Clang {
  std::string path;
  std::string version;  ///< the first line of --version
};

/// $ASSAY_CLANG, else the one found when this was built. Errors: environment, with the name of the package to install.
Result<Clang> find_clang();

/// The clang of this path or name. Errors: environment, if there is none.
Result<Clang> clang_at(const std::string& path);

/// Links an empty library, once for each clang. Errors: environment, with clang's message and what to install.
Result<void> require_linker(const Clang& clang);

/// The folder of metal_stdlib and the like: $ASSAY_SHADER_HEADERS, beside the installed program, or in the source tree.
Result<std::filesystem::path> find_shader_headers();

struct ClangRun {
  int status = 0;        ///< 128 plus the number of the signal that ended it
  std::string output;    ///< standard output, if it goes to no file
  std::string messages;  ///< standard error
  std::string limit;     ///< which limit ended it; else empty
};

/// For each run on a shader. A text can make a compiler work without an end.
inline constexpr ChildLimits limits_for_shaders = {
    .seconds = 600, .cpu_seconds = 300, .memory_bytes = std::uint64_t{8} << 30, .file_bytes = std::uint64_t{1} << 30};

/// Runs clang, without a shell. Standard output goes to the file `output`, if that is not empty. Errors: environment,
/// if it cannot be started or finds no space for its files.
Result<ClangRun> run_clang(const Clang& clang, const std::vector<std::string>& arguments,
                           const std::filesystem::path& input, const std::filesystem::path& output,
                           const ChildLimits& limits = limits_for_shaders);

/// Why a run failed: its messages, or what ended it. Kind: compile.
Error error_of(const ClangRun& run);

}  // namespace assay::metal::emulator
