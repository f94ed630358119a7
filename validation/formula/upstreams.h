// Upstream gradients as training has them: a backward pass that is right for random numbers alone is of no use.
#pragma once

#include "validation/formula/judge.h"

namespace assay::validation::formula {

/// Gives some cases, by their seed, an upstream of 0 for all outputs but one, as where the others are not used; of 0
/// for some rows, as for tokens that are masked; all elements of one number, as after sum() and mean(); times 2^16, as
/// where the loss is scaled; or times 2^-20, as where it is the mean of many.
void put_upstream_of_training(const Subject& subject, Case& c);

}  // namespace assay::validation::formula
