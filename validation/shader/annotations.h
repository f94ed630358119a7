// Findings as GitHub's annotations: a step of GitHub Actions prints these commands, and the pull request shows them.
#pragma once

#include <string>
#include <vector>

#include "validation/shader/finding.h"

namespace assay::validation {

/// A line "::error file=...,line=...,col=...,title=...::message" or "::warning ..." for each finding that is not
/// allowed.
std::string to_annotations(const std::vector<ShaderFinding>& findings);

}  // namespace assay::validation
