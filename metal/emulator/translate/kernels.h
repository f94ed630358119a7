// The kernels of a shader, with the table of their arguments: Metal Shading Language Specification, sections 5.1.3,
// 5.2.1 (explicit and implicit indices of buffers), 5.2.3.6 (positions).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/translate/declarations.h"
#include "metal/emulator/translate/edits.h"
#include "metal/emulator/translate/templates.h"

namespace assay::metal::emulator {

constexpr const char* kind_name(abi::ArgumentKind kind) {
  return kind == abi::ArgumentKind::buffer        ? "buffer"
         : kind == abi::ArgumentKind::threadgroup ? "threadgroup"
         : kind == abi::ArgumentKind::texture     ? "texture"
         : kind == abi::ArgumentKind::sampler     ? "sampler"
                                                  : "position";
}

/// The types of textures that kernels may take here, and those of Metal that they may not.
inline constexpr std::array<std::string_view, 11> texture_types = {
    "texture1d", "texture1d_array", "texture2d",   "texture2d_array",   "texture3d", "texture_buffer",
    "depth2d",   "depth2d_array",   "texturecube", "texturecube_array", "depthcube"};
inline constexpr std::array<std::string_view, 4> unsupported_texture_types = {"texture2d_ms", "texture2d_ms_array",
                                                                              "depthcube_array", "depth2d_ms"};

struct KernelParameter {
  std::string name;
  std::string type;          ///< as written, with its address space
  std::string element_type;  ///< as written, without address space, const, * and &
  abi::ArgumentKind kind = abi::ArgumentKind::buffer;
  abi::AddressSpace space = abi::AddressSpace::none;
  std::uint32_t index = 0;
  std::string attribute;           ///< for example "thread_position_in_grid"; empty for memory
  std::string condition;           ///< the function constant without which there is no such argument; or empty
  std::size_t number = 0;          ///< which parameter of the function it is, or belongs to
  std::uint32_t count = 0;         ///< of the textures in an array of textures; 0 if it is none
  std::string owner;               ///< the parameter whose member it is; or empty
  bool is_function_table = false;  ///< a visible_function_table, or a name for one
};

struct KernelDefinition {
  std::string scope, name;
  bool is_template = false;
  TextPlace place;
  std::string host_name;    ///< a C++ string literal, or empty
  std::string max_threads;  ///< an expression
  std::vector<KernelParameter> parameters;
  std::string refusal;          ///< why it cannot be called here: a message with its place; or empty
  std::size_t declaration = 0;  ///< its index among the declarations
};

/// A kernel that the host can ask for: an ordinary function, or an instantiation of a template.
struct KernelEntry {
  std::size_t definition = 0;
  std::string host_name;  ///< a C++ string literal
  std::string function;   ///< the qualified name of a pointer to the function, or its address
  std::string max_threads;
  TextPlace place;
  std::string instantiation;  ///< "f<float>", without its scope; empty for an ordinary function
  TemplateArguments template_arguments;
};

struct Kernels {
  std::vector<KernelDefinition> definitions;
  std::vector<KernelEntry> entries;
  const KernelDefinition& definition_of(const KernelEntry& entry) const { return definitions[entry.definition]; }
};

/// The parameters in the parentheses that open at `open`. The members of a struct of resources are one each.
std::vector<KernelParameter> kernel_parameters(const Source& source, const std::vector<Declaration>& declarations,
                                               std::size_t open);

/// The struct whose value the parameter in [first, last) is, if its members are buffers, textures, samplers or
/// positions; else null.
const Declaration* struct_of_resources(const Source& source, const std::vector<Declaration>& declarations,
                                       std::size_t first, std::size_t last);
bool is_member_of(const Source& source, const Declaration& member, const Declaration& type);

/// The tokens [first, last) of each parameter.
std::vector<std::pair<std::size_t, std::size_t>> split_parameters(const Source& source, std::size_t open);

/// Replaces explicit instantiations by constants that point to the function.
Kernels translate_kernels(const Source& source, const std::vector<Declaration>& declarations, Edits& edits);

/// Whether the function or instantiation is a kernel; and the name by which the host asks for it.
bool declares_kernel(const Source& source, const Declaration& declaration);
std::string kernel_name(const Source& source, const Declaration& declaration);

/// The text of a C++ string literal, or of several that follow each other: "a" "b" is ab.
std::string literal_text(std::string_view literal);

}  // namespace assay::metal::emulator
