// The compiler of shaders: which it is, and one run of it.
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

/// $ASSAY_CLANG, else the one found when this was built. Errors: environment, naming the package that has it.
Result<Clang> find_clang();

/// The folder of metal_stdlib and its like: $ASSAY_SHADER_HEADERS, beside the program where it is installed, or where
/// this was built.
Result<std::filesystem::path> find_shader_headers();

struct ClangRun {
  int status = 0;
  std::string messages;  ///< standard error
};

/// Without a shell. Standard output goes to the file `output`. Errors: environment, where it cannot be started.
Result<ClangRun> run_clang(const Clang& clang, const std::vector<std::string>& arguments,
                           const std::filesystem::path& input, const std::filesystem::path& output);

}  // namespace assay::metal::emulator
