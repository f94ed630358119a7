// The tokens of a problem that are not ignored, as the kernels know them: what they do not know they cannot read.
#pragma once

#include <vector>

#include "metal/kernels/cce/interface.h"
#include "reference/cce/problem.h"

namespace assay::metal::host {

/// Of a valid problem of fewer than 2^32 tokens and entries. Weights are reckoned in double and rounded once.
template <class Real>
std::vector<cce::Token> cce_tokens(const reference::CceProblem<Real>& problem);

}  // namespace assay::metal::host
