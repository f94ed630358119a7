// Finds the compiler of shaders, and runs it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "metal/device/result.h"

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
  int status = 0;
  std::string messages;  ///< standard error
};

/// Runs clang, without a shell. Standard output goes to the file `output`. After `cpu_seconds` of processor time, if
/// not 0, it is ended, with a status above 128. Errors: environment, if it cannot be started.
Result<ClangRun> run_clang(const Clang& clang, const std::vector<std::string>& arguments,
                           const std::filesystem::path& input, const std::filesystem::path& output,
                           unsigned cpu_seconds = 0);

}  // namespace assay::metal::emulator
