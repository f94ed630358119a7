// The plain path's gradient. Its second step, dL/da_k = g_k - y_k sum_j g_j, carries the errors of a frame's posteriors
// into all its classes: docs/bounds.md, "two-step". An element is held to the frame's largest bound for either step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference/ctc/batch.h"
#include "tests/kernels/ctc_kernel.h"
#include "validation/ctc/bounds.h"
#include "validation/ctc/generate.h"

namespace assay::metal::test {
namespace {

/// The largest share of its bound that an element takes.
double worst_share(const validation::CtcCase& c, const EmulatedCtcKernel& kernel) {
  const auto exact = reference::ctc_outcome<double>(c.view());
  const validation::CtcBounds bounds(c, kernel.info());
  std::vector<float> loss(exact.loss.size()), gradient(exact.gradient.size());
  kernel.run(c.view(), {loss, gradient}, 0);
  double worst = 0;
  for (std::int64_t b = 0; b < c.B; ++b)
    for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)] && bounds.possible(b); ++t)
      for (std::int64_t k = 0; k < c.C; ++k) {
        const auto i = static_cast<std::size_t>((t * c.B + b) * c.C + k);
        const double share = std::abs(double{gradient[i]} - exact.gradient[i]) / (2 * bounds.gradient(t, b));
        if (!(share <= worst)) worst = share;
      }
  return worst;
}

TEST(CtcPlain, GradientIsWithinTheBoundsOfBothSteps) {
  const EmulatedCtcKernel kernel(SizeClass::plain);
  validation::Random random(1);
  double worst = 0;
  for (int n = 0; n < 150; ++n) {
    const double share = worst_share(validation::generate_ctc(random, n % 100, {}), kernel);
    if (!(share <= worst)) worst = share;
  }
  RecordProperty("share", fmt::format("{:.3g}", worst));
  EXPECT_LE(worst, 1);
}

}  // namespace
}  // namespace assay::metal::test
