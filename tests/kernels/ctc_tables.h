// What ctc_interface.h asks of the host beside activations: rows, and the labels of each by slots.
#pragma once

#include <cstdint>
#include <vector>

#include "metal/kernels/ctc_interface.h"
#include "reference/ctc/problem.h"

namespace assay::metal::test {

struct CtcTables {
  std::vector<ctc::Row> rows;
  std::vector<std::uint32_t> slots, order, ends, classes;
  std::uint64_t emissions = 0, alpha = 0, beta = 0;  ///< elements
  std::uint64_t longest = 1;                         ///< L of the longest row
};

/// `alpha_frames`: rows of alpha kept, 0 for all; `beta_frames`: likewise of beta.
CtcTables ctc_tables(const reference::CtcProblem<float>& problem, std::uint64_t alpha_frames,
                     std::uint64_t beta_frames);

}  // namespace assay::metal::test
