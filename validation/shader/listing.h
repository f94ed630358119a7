// The listing of a .metal file: its kernels with their arguments, and its function constants.
#pragma once

#include <string>

#include "validation/shader/script.h"

namespace assay::validation {

/// As text of at most 100 columns; nothing is compiled. Throws std::invalid_argument if the file cannot be read or
/// translated.
std::string list_shader(const ShaderScript& script);

/// A command that checks the kernel of the first pass, or the first that can be run, with contents and sizes to begin
/// with; empty if there is none. Throws likewise.
std::string command_to_check(const ShaderScript& script);

/// {"kernels": [{"name", "arguments": [{"name", "type", "kind", "index", "element_type", "element_size", "is_written",
/// "is_reference", "attribute"}]}], "function_constants": [{"index", "name", "type"}]}, where "kind" is "buffer",
/// "threadgroup" or "position". Throws likewise, and if the file does not compile.
std::string list_shader_as_json(const ShaderScript& script);

}  // namespace assay::validation
