// The errors of cumulative sums, held to those of each sum by itself.
#include "validation/formula/reduction_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "validation/core/random.h"

namespace assay::validation::formula {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Whether they are equal but for the order in which they were added.
bool are_near(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

Operand some_term(Random& random, bool is_wide, bool has_signs, bool has_specials) {
  double value = random.chance(0.2) ? 0 : random.real(0, 1);
  if (is_wide) value = std::ldexp(value, static_cast<int>(random.integer(-60, 20)));
  if (has_signs && random.chance(0.5)) value = -value;
  const double error = random.chance(0.5) ? 0 : std::abs(value) * 1e-6;
  if (has_specials && random.chance(0.1)) return {random.chance(0.5) ? infinity : no_number, error};
  if (has_specials && random.chance(0.1)) return {value, infinity};
  return {value, error};
}

TEST(CumulativeErrors, AreThoseOfEachSumByItself) {
  Random random(1);
  CumulativeErrors cumulative(Dtype::float32);
  for (int sequence = 0; sequence < 1000; ++sequence) {
    const bool is_wide = random.chance(0.5), has_signs = random.chance(0.5), has_specials = random.chance(0.1);
    std::vector<Operand> terms;
    cumulative.begin();
    for (std::int64_t left = random.integer(1, 40); left > 0; --left) {
      const bool may_rescale = random.chance(0.5);
      terms.push_back(some_term(random, is_wide, has_signs, has_specials));
      const SumErrors one = sum_errors(terms, may_rescale, Dtype::float32),
                      other = cumulative.add(terms.back(), may_rescale);
      EXPECT_TRUE(are_near(one.carried, other.carried)) << one.carried << " and " << other.carried;
      EXPECT_TRUE(are_near(one.total, other.total)) << one.total << " and " << other.total;
      if (!std::isfinite(one.total)) continue;  // the bound is infinite, whatever their number
      EXPECT_TRUE(are_near(one.operations, other.operations)) << one.operations << " and " << other.operations;
    }
  }
}

}  // namespace
}  // namespace assay::validation::formula
