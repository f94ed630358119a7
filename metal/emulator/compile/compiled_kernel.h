// A kernel of a library, as two texts that clang compiles together: Metal that declares it, and the module.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/air/library_file.h"
#include "metal/emulator/air/metadata.h"
#include "metal/emulator/air/module.h"
#include "metal/emulator/air/target.h"
#include "metal/emulator/compile/compile.h"

namespace assay::metal::emulator {

struct CompiledKernel {
  air::LibraryKernel kernel;
  air::KernelMetadata metadata;
  std::string metal;   ///< air/declarations.h
  std::string module;  ///< air/module.h
  std::vector<air::ModuleBarrier> barriers;
};

/// LLVM's text of a kernel's module, as clang prints it. Errors: environment; compile, if it is no bitcode.
Result<std::string> module_text(const std::filesystem::path& file, const air::LibraryKernel& kernel);

/// The kernel that is named; if none is, the only one. Errors: argument, if there are several; not_found; compile, if the
/// kernel takes or calls what the emulator does not have: named.
Result<CompiledKernel> read_kernel(const std::filesystem::path& file, const KernelNames& names,
                                   air::Target target = air::Target::emulator);

/// Its Metal text, preprocessed.
Result<std::string> preprocessed_kernel(const CompiledKernel& kernel, const std::filesystem::path& file,
                                        const CompileOptions& options, air::Target target = air::Target::emulator);

/// Errors: argument, for options that change the text of a shader: a library's is compiled already.
Result<void> require_fit(const std::filesystem::path& file, const CompileOptions& options);

}  // namespace assay::metal::emulator
