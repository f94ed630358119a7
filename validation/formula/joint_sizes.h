// Sizes at which extents are large together, beyond the tiles of kernels, for cases that a sample judges (sample.h).
#pragma once

#include <vector>

#include "validation/core/random.h"
#include "validation/core/reach.h"
#include "validation/formula/problem.h"

namespace assay::validation::formula {

struct JointSizes {
  Extents sizes;
  double work = 0;  ///< of a kernel: the elements of the whole graph, products term by term, and moving the inputs
};

/// Each pair of extents at more than 1024, and all of three or more at more than 512; all extents equal, and multiples of
/// 128 or of 100; each extent anywhere up to its limit, with moderate others. Those of little work come first. They are
/// smaller where the formula's graph would be too large to be traced, or each element of its outputs, or of its gradients,
/// takes too much work. Where only some of these have a sample, as a weight's gradient of which each element needs all rows
/// has none, a smaller case follows in which all have one.
std::vector<JointSizes> joint_sizes(const Specification& specification, const Trace& trace, bool of_gradients,
                                    Reach reach, Random random);

}  // namespace assay::validation::formula
