#include "validation/ctc/truth.h"

namespace assay::validation {
namespace {

CtcTruth compute(const CtcCase& c, int digits) {
  const reference::PrecisionScope scope(digits);
  CtcTruth truth;
  const auto problem = c.view();
  truth.rows = reference::ctc_rows<BigFloat>(problem);
  auto outcome = reference::combine<BigFloat>(problem, std::span<const reference::CtcRow<BigFloat>>(truth.rows));
  truth.loss = std::move(outcome.loss);
  truth.gradient = std::move(outcome.gradient);
  return truth;
}

CtcTruth in_long_double(const CtcCase& c) {
  const auto problem = c.view();
  const auto rows = reference::ctc_rows<long double>(problem);
  const auto outcome = reference::combine<long double>(problem, std::span(rows));
  const auto to_big = [](long double x) { return exactly(x); };
  CtcTruth truth{{}, exactly(outcome.loss), exactly(outcome.gradient)};
  for (const auto& row : rows)
    truth.rows.push_back({row.possible, exactly(row.probability), exactly(row.loss), reference::map(row.y, to_big),
                          reference::map(row.posterior, to_big)});
  return truth;
}

}  // namespace

void require_agreement(const CtcTruth& low, const CtcTruth& high, int digits) {
  require_same(low.loss, high.loss, digits, "loss");
  require_same(low.gradient, high.gradient, digits, "gradient");
}

CtcTruth truth_of(const CtcCase& c, int digits) {
  if (digits == long_double_digits) return in_long_double(c);
  const CtcTruth low = compute(c, digits);
  CtcTruth high = compute(c, digits + extra_digits);
  require_agreement(low, high, digits);
  return high;
}

}  // namespace assay::validation
