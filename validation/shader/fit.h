// Whether what a pass binds fits the arguments of its kernel.
#pragma once

#include <string>

#include "metal/device/function.h"
#include "validation/shader/array.h"
#include "validation/shader/script.h"

namespace assay::validation {

/// The option or key that gives an array: "--buffer 0", "arrays.x".
std::string label(const ShaderScript& script, const std::string& array);

/// Throws std::invalid_argument if the pass binds an index that the kernel does not take, leaves out one that it takes,
/// or binds values of other types.
void expect_bindings(const ShaderScript& script, const ShaderPass& pass, const metal::Function& function);

/// Refuses an array whose numbers are not of the argument's type. One that words describe may hold any for an argument
/// of bytes.
void expect_type(const ShaderScript& script, const ShaderPass& pass, const std::string& name, const ShaderArray& array,
                 const metal::Argument& argument);

}  // namespace assay::validation
