// The compiler's flags for each step of compiling a shader.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "metal/emulator/compile/preprocess.h"

namespace assay::metal::emulator {

/// Preprocesses the .metal on standard input to standard output.
std::vector<std::string> preprocessing_flags(const CompileOptions& options, Purpose purpose,
                                             const std::filesystem::path& headers, const std::filesystem::path& folder);

/// A run of clang, from standard input to `output`, or from the output of the step before.
struct CompilingStep {
  std::vector<std::string> flags;
  std::filesystem::path output;
  bool is_rewritten = false;  ///< numerics/inexact_division.h and instrument.h change the output
};

/// From translated text to a shared object. The input of each step is the output of the step before. In a checked
/// shader a call of a hook is put in front of every access before anything is optimised, because the optimiser removes
/// unused reads but no calls of hooks.
std::vector<CompilingStep> compiling_steps(const CompileOptions& options, const std::filesystem::path& object);

/// The text of the module whose bitcode is on standard input.
std::vector<std::string> disassembling_flags();

/// From the text of a module to bitcode, as it is; for this machine, unless a target is named.
std::vector<std::string> assembling_flags(const std::filesystem::path& output, const std::string& target = {});
inline constexpr const char* ptx_target = "nvptx64-nvidia-cuda";

/// Makes the first step take in the functions of a module that its text calls.
void link_module(CompilingStep& first, const std::filesystem::path& bitcode);

/// From the text of a library on standard input to a precompiled header for the first step.
std::vector<std::string> precompiling_flags(const CompilingStep& first, const std::filesystem::path& output);

/// Makes the first step begin with what is precompiled there.
void include_precompiled(CompilingStep& first, const std::filesystem::path& library);

/// From text translated for NVIDIA GPUs to PTX, for the GPUs of `architecture` ("sm_90") and later.
CompilingStep ptx_step(const std::string& architecture, const std::filesystem::path& output);

/// Looks in the input of the first step for variables that are read before they are written: private_reads.h. Nothing is
/// compiled. Errors are those of a compilation. The static analyzer may take long, and is
/// to be given limits_for_analysis; without it, only clang's own warnings are left.
std::vector<std::string> analysis_flags(const CompilingStep& first, bool with_analyzer);
inline constexpr ChildLimits limits_for_analysis = {.seconds = limits_for_shaders.seconds,
                                                    .cpu_seconds = 10,
                                                    .memory_bytes = limits_for_shaders.memory_bytes,
                                                    .file_bytes = limits_for_shaders.file_bytes};

/// Looks in the input of the first step for variables at program scope whose initializers would have to run when the
/// shader is loaded. Nothing is compiled.
std::vector<std::string> constructor_flags(const CompilingStep& first);

/// Says which overload each call of an overload_probe() means: translate.h.
std::vector<std::string> overload_flags();

/// Checks the syntax of text translated for lint, on standard input.
std::vector<std::string> linting_flags();

}  // namespace assay::metal::emulator
