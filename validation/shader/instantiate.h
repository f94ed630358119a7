// The script of a file (document.h) at values of its variables: its expressions have values, its passes are in the
// order in which they run.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "validation/shader/document.h"
#include "validation/shader/script.h"

namespace assay::validation {

/// `arrays` are those of an operation. Throws std::runtime_error for an expression without a meaning here, naming it,
/// its value and what was expected, for a size beyond a limit, and for too many passes.
ShaderScript instantiate(const ShaderDocument& document, const MetalVariables& variables,
                         std::map<std::string, ShaderArray> arrays = {});

/// Each pass of a file with an operation once, on arrays without elements, and no expression evaluated: enough to
/// compare with the shader.
ShaderScript outline(const ShaderDocument& document);

/// The script of a file that states its arrays itself; `extents` replace those that it states. Throws
/// std::invalid_argument, naming the key, its value and what was expected.
ShaderScript read_script(const std::filesystem::path& path, const MetalVariables& extents = {});

}  // namespace assay::validation
