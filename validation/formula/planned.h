// The cases that a run plans beside generated and needle cases, against the reference: sizes between the powers of two
// (sizes.h), pairs of large extents, all extents at once, magnitudes over the whole range of the type, and patterns of
// values that people's numbers have (patterns.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/core/reach.h"
#include "validation/formula/problem.h"

namespace assay::validation::formula {

struct Planned {
  Extents sizes;  ///< of the extents that are large; where there are none, all are drawn
  ValueClass values;
  std::int64_t one = -1;  ///< the input that has the magnitude
  double work = 0;        ///< about that of a kernel, where two extents or more are large; else 0
  bool is_sampled = false;
};

/// Plans within the work that the reach allows: what would be too much is left out. The largest are the last, whose outputs or
/// gradients a sample judges (joint_sizes.h).
std::vector<Planned> planned_of(const Specification& specification, const Trace& trace, bool of_gradients, Reach reach,
                                Dtype dtype, std::uint64_t seed);

Case drawn(const Planned& planned, const Specification& specification, const Trace& trace, Dtype dtype, Random& random);

}  // namespace assay::validation::formula
