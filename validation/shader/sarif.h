// Findings in SARIF 2.1.0 (OASIS), which GitHub's code scanning and many editors show at their lines.
#pragma once

#include <string>
#include <vector>

#include "validation/shader/finding.h"

namespace assay::validation {

/// Files below the working folder are named relative to it, as GitHub wants them. A finding that a comment allows has a
/// suppression with the reason.
std::string to_sarif(const std::vector<ShaderFinding>& findings);

}  // namespace assay::validation
