// Matches a script with its shader: functions with their constants, and an array for each argument.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "metal/device/library.h"
#include "validation/shader/array.h"
#include "validation/shader/script.h"

namespace assay::validation {

using ShaderFunctions = std::vector<std::shared_ptr<const metal::Function>>;

/// The function of each pass, by its name. Throws std::invalid_argument if a function or a constant is missing or
/// unknown to the shader, or if a pass binds an argument that the function does not take, or leaves one out.
ShaderFunctions functions_of(const ShaderScript& script, metal::Library& library);

/// The arrays before the first pass, by name; those that are given leave the script. An array that words describe has
/// the type of the first argument that it is bound to. Throws std::invalid_argument if the contents do not fit, or if no
/// argument is bound to an array that words describe.
std::map<std::string, ShaderArray> arrays_of(ShaderScript& script, const ShaderFunctions& functions);

/// The names of the arrays that a kernel may write. Those in argument buffers count as such.
std::set<std::string> written_arrays(const ShaderScript& script, const ShaderFunctions& functions,
                                     const std::map<std::string, ShaderArray>& arrays);

}  // namespace assay::validation
