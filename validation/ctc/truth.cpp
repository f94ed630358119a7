#include "validation/ctc/truth.h"

namespace assay::validation {
namespace {

CtcTruth compute(const CtcCase& c, int digits) {
  const reference::PrecisionScope scope(digits);
  CtcTruth truth;
  const auto problem = c.view();
  for (std::int64_t b = 0; b < c.B; ++b) truth.rows.push_back(reference::ctc_row<BigFloat>(problem, b));
  auto outcome = reference::combine<BigFloat>(problem, std::span<const reference::CtcRow<BigFloat>>(truth.rows));
  truth.loss = std::move(outcome.loss);
  truth.gradient = std::move(outcome.gradient);
  return truth;
}

}  // namespace

void require_agreement(const CtcTruth& low, const CtcTruth& high, int digits) {
  require_same(low.loss, high.loss, digits, "loss");
  require_same(low.gradient, high.gradient, digits, "gradient");
}

CtcTruth truth_of(const CtcCase& c, int digits) {
  const CtcTruth low = compute(c, digits);
  CtcTruth high = compute(c, digits + extra_digits);
  require_agreement(low, high, digits);
  return high;
}

}  // namespace assay::validation
