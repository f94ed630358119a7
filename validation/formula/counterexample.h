// The failing case of a property: shrunk, and whether it fails alone or only after the calls before.
#pragma once

#include <cstdint>

#include "validation/formula/judge.h"

namespace assay::validation::formula {

struct Counterexample {
  Case c;
  Finding finding;
  int shrinks = 0;            ///< accepted steps from the case as first met to this one
  bool passes_alone = false;  ///< then it is the case as first met, and the calls before matter
};

/// What shrinking makes of a case that has failed with `first`, with at most `budget` further verdicts.
Counterexample counterexample(const Subject& subject, const Property& property, const Case& c, const Finding& first,
                              std::uint64_t seed, int budget);

}  // namespace assay::validation::formula
