// Reads the passes of a file (document.h).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "validation/shader/document.h"

namespace assay::validation {

inline constexpr std::int64_t max_bytes_of_array = std::int64_t{1} << 36;

/// Reads the member `passes` into the document, whose other members are there already. `names` are those of variables,
/// `arrays` those of arrays. Throws std::invalid_argument, naming the key.
void read_passes(ShaderDocument& document, const std::vector<std::string>& names, const std::set<std::string>& arrays);

/// The text, if it names a scalar of Metal; refuses others.
std::string scalar_type(const BindingNode& node);

/// The value as a number of the type, or of any if that is empty. Throws std::runtime_error for one that does not fit.
std::string text_of(const MetalExpression& expression, const std::string& type, const MetalVariables& variables);

/// Throws std::runtime_error for an extent below `lowest`, or beyond those of Metal.
metal::Size size_of(const std::vector<MetalExpression>& extents, const MetalVariables& variables, std::int64_t lowest);

}  // namespace assay::validation
