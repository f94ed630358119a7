// The gradient is linear in upstream: g(w) = w g(1), row by row. The loss does not depend on upstream.
#include <cmath>

#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

constexpr float weights[] = {1.0F, -2.5F, 0.375F, 7.0F, 0.0F, -1.0F};

void compare_row(Comparison& comparison, const CtcCase& c, const CtcBounds& bounds, const CtcRun& weighted,
                 const CtcBounds& bounds_of_plain, const CtcRun& plain, std::int64_t b, float weight) {
  const bool possible = bounds.possible(b);
  const double size = std::abs(double{weight});
  for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)]; ++t) {
    for (std::int64_t k = 0; k < c.C; ++k) {
      const double of_plain = size > 0 ? size * bounds_of_plain.gradient(t, b, k) : 0;  // the bound may be infinite
      const double bound = possible ? bounds.gradient(t, b, k) + of_plain : 0;
      comparison.near({"gradient", t, b, k}, weighted.gradient_at(c, t, b, k),
                      double{weight} * double{plain.gradient_at(c, t, b, k)}, bound, gradient_range(c, b));
    }
  }
}

Finding check_linearity(const CtcContext& context, const CtcCase& given) {
  CtcCase plain = given;
  plain.upstream.clear();
  CtcCase weighted = plain;
  const std::int64_t count = plain.reduction == Reduction::none ? plain.B : 1;
  for (std::int64_t i = 0; i < count; ++i) weighted.upstream.push_back(weights[(i + plain.T) % 6]);
  const CtcRun one = run_valid(context.kernel, plain);
  const CtcRun many = run_valid(context.kernel, weighted);
  const CtcBounds bounds(weighted, context.kernel.info()), bounds_of_plain(plain, context.kernel.info());
  Comparison comparison;
  for (std::size_t i = 0; i < one.loss.size(); ++i) {
    comparison.near({"loss", -1, static_cast<std::int64_t>(i)}, many.loss[i], double{one.loss[i]}, 0);
  }
  for (std::int64_t b = 0; b < plain.B; ++b) {
    const float weight = weighted.upstream[count == 1 ? 0 : static_cast<std::size_t>(b)];
    compare_row(comparison, weighted, bounds, many, bounds_of_plain, one, b, weight);
  }
  return comparison.finding();
}

}  // namespace

CtcProperty linearity() {
  return {"linearity", "the gradient is linear in the upstream gradient", {.min_rows = 2}, check_linearity};
}

}  // namespace assay::validation::properties
