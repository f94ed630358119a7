// The table of the tokens that are not ignored, which are the only ones that the kernels read.
#pragma once

#include <vector>

#include "metal/kernels/cce/interface.h"
#include "reference/cce/problem.h"

namespace assay::metal::host {

/// The problem must be valid and have fewer than 2^32 tokens and entries. Weights are computed in double and rounded
/// once.
template <class Real>
std::vector<cce::Token> cce_tokens(const reference::CceProblem<Real>& problem);

}  // namespace assay::metal::host
