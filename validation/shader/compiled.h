// The shader of a script, compiled for this machine to learn its kernels, whatever device runs it later.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "metal/emulator/compile/compile.h"
#include "metal/emulator/emulator_device.h"
#include "validation/shader/script.h"

namespace assay::validation {

metal::emulator::CompileOptions compile_options(const ShaderScript& script);
metal::emulator::EmulatorOptions emulator_options(const ShaderScript& script);

/// The names of all kernels; nothing is compiled. Errors: those of the preprocessor and the translator.
metal::Result<std::vector<std::string>> kernel_names(const ShaderScript& script,
                                                     const metal::emulator::CompileOptions& options);

/// The script with the name of each pass's kernel. Throws std::invalid_argument if `names` lacks the name, or if the
/// pass names none and there are several kernels.
ShaderScript with_kernels(ShaderScript script, const std::vector<std::string>& names);

/// The kernels that the passes name; none if a pass does not say which.
metal::emulator::KernelNames kernels_of(const ShaderScript& script);

/// Compiles these kernels alone, or all if a pass does not say which.
metal::Result<std::shared_ptr<const metal::emulator::CompiledShader>> compile_kernels(
    const ShaderScript& script, metal::emulator::CompileOptions options);

/// Likewise. Throws std::invalid_argument if the file cannot be read or does not compile.
std::shared_ptr<const metal::emulator::CompiledShader> compile_script(const ShaderScript& script);

}  // namespace assay::validation
