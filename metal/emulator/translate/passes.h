// The passes of translate.h, each of which edits the source or appends to it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "metal/emulator/translate/declarations.h"
#include "metal/emulator/translate/edits.h"
#include "metal/emulator/translate/kernels.h"
#include "metal/emulator/translate/source.h"
#include "metal/emulator/translate/translate.h"

namespace assay::metal::emulator {

using Declarations = std::vector<Declaration>;

/// The text without pragmas, but for those that change how numbers are computed or laid out and those about warnings:
/// others could give functions attributes and names; and the preprocessor does not expand macros in hints for compiling
/// a loop (#pragma unroll), which clang then refuses. #pragma METAL fp contract(off) becomes clang's own.
std::string with_clang_pragmas(std::string_view text);

/// The text without render functions, without kernels but the wanted ones, if any are wanted, and without functions and
/// types that only these use. Blanks are in their places.
std::string without_unused(std::string_view text, const KernelNames& wanted);

/// Refuses assembly, variables of the processor's threads, and attributes that run code of the shader when it is
/// loaded.
void refuse_host_words(const Source& source, const Declarations& declarations);

/// Translates what needs no declarations: address spaces, attributes, literals.
///
///   device, thread, kernel, [[...]]  ->  nothing           1.5h, 2bf   ->  casts       1.5  ->  1.5f
///   static_cast                      ->  a cast that also converts half to bfloat
///   return;                          ->  { ::assay_shader_side::leave(); return; }
///   constant                         ->  const             is_function_constant_defined(n)  ->  assay_is_set_n
void translate_tokens(const Source& source, Edits& edits);

/// The C++ text for a `threadgroup` variable, as a format: {0} is a unique number, {1} its type, {2} its name.
extern const char* const run_threadgroup_variable;
extern const char* const ptx_threadgroup_variable;
extern const char* const lint_threadgroup_variable;

/// Turns `threadgroup` variables into references to memory of the group; removes `threadgroup` from pointers and
/// references.
///
///   threadgroup float rows[2][N], top;
///     ->  for each variable a key, a type and a reference, from Services::threadgroup_variable
///   threadgroup float* row  ->  float* row
///
/// An initializer has no effect: Apple's compiler accepts one, but no document says that the memory then holds it, and
/// initcheck reports a read that relies on it. A variable mistaken for a pointer would become a private copy, with
/// wrong results and no report. So everything ambiguous is refused.
void translate_threadgroup(const Source& source, const Declarations& declarations, const char* variable, Edits& edits);

/// Whether it is `uint3 name [[thread_position_in_grid]];`, or another position, at program scope.
bool is_program_position(const Source& source, const Declaration& declaration);

/// Gives each function that names such a position a constant of its name, in a block around its body.
///
///   uint3 at [[thread_position_in_grid]];  void f() { g(at); }
///     ->  void f() { const uint3 at = VALUE; { g(at); } }
///
/// `value` is a format: {0} is the type, {1} the attribute. Null refuses them.
void translate_program_positions(const Source& source, const Declarations& declarations, const char* value,
                                 Edits& edits);

struct ProgramConstant {
  std::string scope, name;  ///< "::a::" and "n"
  std::string type;
  bool is_computed = false;  ///< computed from function constants
  bool is_optional = false;  ///< the shader asks whether it is defined
  std::string index;         ///< an expression; empty if it is computed
};

/// Turns function constants into variables that are written before a kernel runs.
///
///   constant int n [[function_constant(3)]];  ->  storage, a flag whether it is set, and a const reference `n`
///   constant int m = is_function_constant_defined(n) ? n : 4;  ->  the same, computed after the constants are written
std::vector<ProgramConstant> translate_constants(const Source& source, const Declarations& declarations, Edits& edits);

/// The function constants on which each kernel of `kernels` depends, directly or through what it names, as indices into
/// `constants`. Without those that are optional: the kernel cannot be made before all these have values.
std::vector<std::set<std::size_t>> needed_constants(const Source& source, const Declarations& declarations,
                                                    const Kernels& kernels,
                                                    const std::vector<ProgramConstant>& constants);

/// Refuses kernels that take an argument buffer with anything but buffers inside, at the line of the member.
void refuse_resources_in_buffers(const Source& source, const Declarations& declarations, const Kernels& kernels);

/// The parts of a shader, for the text that registers it.
struct Registered {
  Kernels kernels;
  std::vector<ProgramConstant> constants;
  std::vector<std::set<std::size_t>> needed;  ///< by the definition of a kernel
  std::vector<std::string> visible;           ///< visible_functions()
  bool sees_matrix_elements = false;
};

/// Whether the shader may read which elements of a simdgroup matrix a lane has: by thread_elements(), or as compiled
/// libraries do.
bool sees_matrix_elements(const Source& source);

/// The names with their scopes of the functions that are [[visible]] or [[stitchable]].
std::vector<std::string> visible_functions(const Source& source, const Declarations& declarations);

/// The C++ text with which a shader describes itself to the emulator: the tables of shader_abi.h and `assay_shader`.
std::string registration(const Registered& shader);

/// The same for NVIDIA GPUs: an entry for each kernel, and one that sets the function constants.
std::string ptx_registration(const Registered& shader);

/// For NVIDIA GPUs: gives each simdgroup operation that not all lanes may execute the argument `diverging`.
///
///   simd_sum(x)  ->  simd_sum(x, ::assay_shader_side::diverging)
void mark_divergent_operations(const Source& source, const Declarations& declarations, Edits& edits);

/// For lint: translates Metal's address spaces to OpenCL's, which clang tells apart.
///
///   device -> global_device, constant -> const global_host, threadgroup -> local, thread -> private
///
/// The first two are parts of OpenCL's global memory that do not convert to each other. All four convert to a pointer
/// or reference without an address space, such as `this` and the standard library's parameters. Methods keep the
/// qualifiers at the tokens of `kept`.
void translate_address_spaces(const Source& source, const Declarations& declarations, const std::set<std::size_t>& kept,
                              Edits& edits);

/// Refuses variables that a thread may write and another one reads, unseen by every check: those at program scope and
/// static ones that are not constant (Metal Shading Language Specification, section 4.2).
void refuse_lasting_variables(const Source& source, const Declarations& declarations);

/// For lint: finds what C++ has and Metal does not: virtual functions, recursion, variables at program scope, ...
/// A message for each, as below.
std::vector<std::string> restrictions(const Source& source, const Declarations& declarations);
/// Likewise, "file:line:column: warning: ...", for what Apple's compiler may not survive.
std::vector<std::string> restriction_warnings(const Source& source, const Declarations& declarations);

/// For lint: finds pointers and references without an address space, which Metal refuses (Metal Shading Language
/// Specification, section 4). A message for each, "file:line:column: error: ...", in the order of the text.
std::vector<std::string> unqualified_pointers(const Source& source, const Declarations& declarations);

}  // namespace assay::metal::emulator
