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

#include "validation/core/gate_subject.h"
#include "validation/formula/problem.h"
#include "validation/formula/work.h"

namespace assay::validation::formula {

/// The sizes of needle cases of an extent; none where it cannot be large. Leaves out sizes for which the formula's graph
/// is too large to evaluate: `due`, the largest size that the specification allows, names what is missing.
NeedleSizes needle_sizes_of(const Specification& specification, Work& work, const std::string& extent, Reach reach,
                            bool against_reference);

/// As above for the property of the algebra, which computes no digits: the largest size is `largest`, or the largest at which
/// the formula can be traced and evaluated in about a second.
NeedleSizes wide_needle_sizes_of(Specification specification, Work& work, const std::string& extent, Reach reach,
                                 std::int64_t largest);

/// The kinds of values at a size. A property that compares with the reference judges every kind at the largest size and
/// where the graph is small, one elsewhere; other properties judge normal values; `of_gradient`: it compares gradients.
std::vector<ValueClass> needle_values(Work& work, const std::string& extent, std::int64_t size, bool against_reference,
                                      bool is_largest, bool of_gradient);

}  // namespace assay::validation::formula
