// The properties of linear cross-entropy kernels, one function and one file each.
#pragma once

#include "validation/cce/operation.h"

namespace assay::validation::cce {

// Memory and repeatability.
CceProperty two_shapes();
CceProperty chunks();
CceProperty halves();

// The contract.
CceProperty refusals();
CceProperty empty();
CceProperty far_tokens();
CceProperty far_entries();
CceProperty ignored();
CceProperty nonnegative();

// Relations between runs: no reference needed.
CceProperty batch();
CceProperty batch_singles();
CceProperty duplicates();
CceProperty independence();
CceProperty permutation();
CceProperty padding();
CceProperty shift();
CceProperty linearity();
CceProperty reductions();
CceProperty softcap_off();
CceProperty word_sums();
CceProperty images();

// Against the any-precision reference.
CceProperty loss();
CceProperty dhidden();
CceProperty dweight();
CceProperty dbias();
CceProperty softcap();

}  // namespace assay::validation::cce
