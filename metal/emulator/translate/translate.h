// From preprocessed Metal source to C++ that clang compiles, in which every remaining token keeps its line and column.
//
// Removes address spaces, `kernel` and attributes, turns `threadgroup` variables and function constants into references
// to memory elsewhere, and appends a table of the kernels. The standard library's headers are C++ already.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "metal/device/result.h"

namespace assay::metal::emulator {

/// If `wanted` is not empty, only the kernel of this name is instantiated and has an entry.
/// Errors: compile, with places in the .metal.
Result<std::string> translate(std::string_view preprocessed, std::string_view wanted = {});

/// A kernel's argument as the shader's text declares it: nothing is compiled.
struct ListedArgument {
  std::string place;  ///< "buffer(0)", "threadgroup(0)" or the position that it is
  std::string name;
  std::string type;       ///< with the arguments of the kernel's template
  std::string condition;  ///< the function constant without which there is no such argument; or empty
};
struct ListedKernel {
  std::string name;
  std::string instantiation;  ///< of which template, with which arguments: "f<float>"; empty for an ordinary function
  std::uint32_t line = 0;
  std::vector<ListedArgument> arguments;
};
struct ListedConstant {
  std::string index, type, name;
};
struct ShaderListing {
  std::vector<ListedKernel> kernels;
  std::vector<ListedConstant> constants;
};

/// Errors: as above.
Result<ShaderListing> list_kernels(std::string_view preprocessed);

/// Translates text preprocessed for NVIDIA GPUs. Kernel n of the shader's table becomes the entry `assay_launch_n`, and
/// the entry `assay_set_constants` sets the function constants. Errors: as above.
Result<std::string> translate_for_ptx(std::string_view preprocessed);

/// Preprocessed text with clang's own pragma in place of #pragma METAL fp math_mode(safe), for a shader that is
/// compiled in another mode. Before the shader's first function the pragma holds for the emulator's headers too, which
/// have what Metal's compiler has built in, as the operators of vectors.
std::string with_safe_sections(std::string_view text);

/// Whether the pragma holds for all of a text that comes from with_safe_sections().
bool is_safe(std::string_view text);

struct LintTranslation {
  std::string text;      ///< OpenCL C++, with address spaces
  std::string refusals;  ///< a line for each fault that the translator itself has found
  std::string warnings;  ///< likewise, for what may be meant
};

/// Translates text preprocessed for lint. Errors: as above.
Result<LintTranslation> translate_for_lint(std::string_view preprocessed);

}  // namespace assay::metal::emulator
