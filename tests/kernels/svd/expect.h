// What results have to be to be a singular value decomposition.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/kernels/svd/exact.h"

namespace assay::metal::test {

/// All that a decomposition has to be, with singular values that are off by `bound` of the largest at most.
template <class Real>
void expect_svd(const SvdResults<Real>& results, const SvdCase& c, const std::string& what, Exact bound = 0) {
  bound = bound == 0 ? float_bound(c) : bound;
  for (std::int64_t b = 0; b < c.B; ++b) {
    const Factors<Real> factors(c, results, b);
    EXPECT_LE(factors.residual(), bound) << what << " " << b;
    EXPECT_LE(factors.orthogonality(), bound) << what << " " << b;
    EXPECT_TRUE(factors.is_in_order()) << what << " " << b;
    EXPECT_TRUE(factors.has_signs()) << what << " " << b;
    const std::vector<Exact> exact = exact_values(c, b);
    for (std::int64_t r = 0; r < c.K(); ++r)
      EXPECT_LE(std::abs(factors.S(r) - exact[static_cast<std::size_t>(r)]), bound * exact[0]) << what << " " << r;
  }
}

}  // namespace assay::metal::test
