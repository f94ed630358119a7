// Pictures of where a kernel of a formula errs on a case.
#pragma once

#include <vector>

#include "validation/core/picture.h"
#include "validation/formula/judge.h"

namespace assay::validation::formula {

/// The error of each output and gradient that has axes, as a share of its bound: all axes but the last are its rows.
/// Positions and codes have none. Throws as the kernel and truth_of do.
std::vector<Picture> pictures_of(const Subject& subject, const Case& c);

}  // namespace assay::validation::formula
