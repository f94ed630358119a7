#include "validation/ctc/truth.h"

#include <fmt/format.h>

#include "validation/core/number.h"

namespace assay::validation {
namespace {

constexpr int extra_digits = 20;
/// Digits that T frames of rounding may cost either computation.
constexpr int lost_digits = 10;

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

bool agree(const BigFloat& low, const BigFloat& high, double tolerance) {
  if (!is_finite(low) || !is_finite(high)) return same_kind(low, high);
  return absolute_difference(low, high) <= tolerance * std::max(1.0, std::abs(to_double(high)));
}

void require_same(const std::vector<BigFloat>& low, const std::vector<BigFloat>& high, int digits, const char* what) {
  const double tolerance = std::pow(10.0, lost_digits - digits);
  for (std::size_t i = 0; i < low.size(); ++i) {
    if (!agree(low[i], high[i], tolerance)) {
      throw ReferenceDisagrees(fmt::format("{}[{}] at {} and {} digits: {} and {}", what, i, digits,
                                           digits + extra_digits, to_decimal(low[i], digits),
                                           to_decimal(high[i], digits)));
    }
  }
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

std::shared_ptr<const CtcTruth> CtcTruthMemo::truth_of(const CtcCase& c, int digits) {
  constexpr std::size_t worth_keeping = 20'000;
  constexpr std::size_t too_large = 1'000'000;
  constexpr std::size_t at_most = 6;
  const bool keep = c.activations.size() >= worth_keeping && c.activations.size() <= too_large;
  for (const Entry& entry : entries_) {
    if (keep && entry.digits == digits && entry.problem == c) return entry.truth;
  }
  auto truth = std::make_shared<const CtcTruth>(validation::truth_of(c, digits));
  if (keep) entries_.push_back({c, digits, truth});
  if (entries_.size() > at_most) entries_.erase(entries_.begin());
  return truth;
}

}  // namespace assay::validation
