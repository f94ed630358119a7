// Refuses what Apple's compiler would refuse and the emulator's does not, which has no address spaces: conversions of
// pointers between address spaces, arguments in the wrong one, pointers that name none. It is a second compilation, of
// syntax only, with address spaces that clang tells apart. Warns of simdgroup operations that not all lanes may
// execute.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "metal/emulator/compile/compile.h"

namespace assay::metal::emulator {

/// The warnings, a line for each; empty if there are none. `source` and `name` as for compile_source. Errors: lint,
/// with a message for each refusal in Metal's terms and its place in the .metal; compile, if it does not compile at
/// all; environment.
Result<std::string> lint_source(std::string_view source, const std::filesystem::path& name,
                                const CompileOptions& options = {});

Result<std::string> lint_file(const std::filesystem::path& file, const CompileOptions& options = {});

}  // namespace assay::metal::emulator
