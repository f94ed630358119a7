// Needle cases of a formula: one extent is large, all others are small, and every index of it decides a result.
//
//   equal     all elements are 1: the terms of a sum are equal, and where their sum is exact none can be left out
//   indexed   (1 + i mod 61) / 64, so that neighbours differ
//   signed r  1 and -1 in turn where i mod 8 is r, else 0: fewer terms, so that a bound on their sum hides fewer; the
//             mean is nearly 0, so that errors of it hide none either
//   peaked r  16 where i mod 8 is r, else 0: what is small beside the largest hides no share of a softmax. Of a
//             gradient's largest size alone
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/core/reach.h"
#include "validation/formula/problem.h"

namespace assay::validation::formula {

struct Needle {
  std::string extent;
  std::int64_t size = 0;
  std::int64_t due = 0;  ///< the largest size that the specification allows, 4097 unless it says another
  ValueClass values;
};

/// The needle cases of a property. One that compares with the reference judges every kind of values, others normal
/// ones; `of_gradient`: it compares gradients. Leaves out sizes for which the formula's graph is too large to evaluate:
/// `due` names what is missing.
std::vector<Needle> needles_of(const Specification& specification, const Trace& trace, Reach reach,
                               bool against_reference, bool of_gradient);

Case drawn(const Needle& needle, const Specification& specification, const Trace& trace, Dtype dtype, Random& random);

}  // namespace assay::validation::formula
