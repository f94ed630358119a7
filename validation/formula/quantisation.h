// Results that are rounded to a small format, held to the numbers that the declared rounding may give (casts.h).
//
// The scale is the kernel's own where the kernel returns it (given_results.h): how far off a scale may be is for `outputs` to
// say, and no reason for a wrong code. Derivation: docs/bounds.md, "Quantisation".
#pragma once

#include "validation/core/random.h"
#include "validation/formula/judge.h"

namespace assay::validation::formula {

/// Sets the formats that the subject's formula rounds to, and whether results are such numbers.
void find_casts(Subject& subject);

Finding quantisation(const Subject& subject, const Case& c, Random& random);

}  // namespace assay::validation::formula
