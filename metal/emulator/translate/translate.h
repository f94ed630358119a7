// From preprocessed Metal source to C++ that clang compiles, in which every remaining token keeps its line and column.
//
// Removes address spaces, `kernel` and attributes, turns `threadgroup` variables and function constants into references
// to memory elsewhere, and appends a table of the kernels. The standard library's headers are C++ already.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metal/device/result.h"

namespace assay::metal::emulator {

/// The names by which the host asks for kernels; empty: all kernels.
using KernelNames = std::set<std::string, std::less<>>;

/// Which of the functions that differ in address spaces each call means, by the number of the call's token among those of
/// the text; and where clang could not tell. Of several instances of a template there may be several.
struct OverloadChoices {
  std::map<std::size_t, std::set<unsigned>> calls;
  std::vector<std::pair<std::string, std::uint32_t>> errors;  ///< files and lines
};

/// If kernels are wanted, only these, and what they use, are translated.
/// Errors: compile, with places in the .metal.
Result<std::string> translate(std::string_view preprocessed, const KernelNames& wanted = {},
                              const OverloadChoices* choices = nullptr);

/// The shader's own text, for a compiler that tells address spaces apart: it warns, at line n + 1 of overload_file, that
/// the call at token n means overload m, "overload_message m". Nothing if the shader has no such overloads. Errors: as
/// above.
Result<std::optional<std::string>> overload_probe(std::string_view preprocessed, const KernelNames& wanted);
inline constexpr std::string_view overload_file = "overloads of calls", overload_message = "the call means overload";

/// The text with blanks in place of what the kernels do not use: of other kernels, and of what only these call. If no
/// kernel is named, of render functions. Errors: as above.
Result<std::string> text_of_kernels(std::string_view preprocessed, const KernelNames& kernels);

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
  std::string refusal;  ///< why it cannot be run here, a message with its place; or empty
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
