// The tables of the tokens that are not ignored, which are the only ones that the kernels read, and of the others.
#pragma once

#include <cstdint>
#include <vector>

#include "metal/kernels/cce/interface.h"
#include "reference/cce/problem.h"

namespace assay::metal::host {

struct CceTables {
  std::vector<cce::Token> tokens;      ///< [M]
  std::vector<std::uint32_t> ignored;  ///< [N - M] rows
};

/// The problem must be valid and have fewer than 2^32 tokens and entries. Weights are computed in double and rounded
/// once.
template <class Real>
CceTables cce_tables(const reference::CceProblem<Real>& problem);

}  // namespace assay::metal::host
