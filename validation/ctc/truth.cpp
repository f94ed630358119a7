#include "validation/ctc/truth.h"

#include <utility>

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
  auto rows = reference::ctc_rows<long double>(problem);
  CtcTruth truth;
  {
    const auto outcome = reference::combine<long double>(problem, std::span<const decltype(rows)::value_type>(rows));
    truth.loss = exactly(outcome.loss);
    truth.gradient = exactly(outcome.gradient);
  }
  const auto to_big = [](long double x) { return exactly(x); };
  for (auto& given : rows) {
    const auto row = std::move(given);  // whose memory is free once it is converted
    truth.rows.push_back({row.possible, exactly(row.probability), exactly(row.loss), reference::map(row.y, to_big),
                          reference::map(row.posterior, to_big)});
  }
  return truth;
}

}  // namespace

void require_agreement(const CtcTruth& low, const CtcTruth& high, int digits) {
  require_same(low.loss, high.loss, digits, "loss");
  require_same(low.gradient, high.gradient, digits, "gradient");
}

CtcTruth truth_of(const CtcCase& c, int digits) {
  if (digits == long_double_digits) return in_long_double(c);
  auto [low, high] = both(
      c.activations.size() >= worth_a_thread, [&] { return compute(c, digits); },
      [&] { return compute(c, digits + extra_digits); });
  require_agreement(low, high, digits);
  return std::move(high);
}

}  // namespace assay::validation
