// The properties of SVD kernels, one function each.
#pragma once

#include "validation/svd/operation.h"

namespace assay::validation::svd {

// Memory and repeatability.
SvdProperty two_shapes();
SvdProperty values_only();
SvdProperty batch();
SvdProperty batch_singles();

// The contract.
SvdProperty refusals();
SvdProperty specials();
SvdProperty empty();
SvdProperty far_matrices();

// The definition of factors: no reference needed. Only all of these together prove that factors are right.
SvdProperty order();
SvdProperty orthonormal_u();
SvdProperty orthonormal_v();
SvdProperty reconstruction();
SvdProperty null_space();
SvdProperty signs();

// Relations between runs.
SvdProperty scaling();
SvdProperty transposition();
SvdProperty invariance();
SvdProperty permutation();

// Against the any-precision reference.
SvdProperty values();
SvdProperty graded();
SvdProperty randomized();
SvdProperty gradient();
SvdProperty gradient_ties();

}  // namespace assay::validation::svd
