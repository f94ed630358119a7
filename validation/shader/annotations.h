// Findings as GitHub's annotations: commands that a step of GitHub Actions prints, and that stand in the pull request.
#pragma once

#include <string>
#include <vector>

#include "validation/shader/finding.h"

namespace assay::validation {

/// A line "::error file=...,line=...,col=...,title=...::message" or "::warning ..." for each finding that nothing
/// allows.
std::string to_annotations(const std::vector<ShaderFinding>& findings);

}  // namespace assay::validation
