#include "validation/cce/truth.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "reference/cce/outcome.h"
#include "validation/cce/same_tokens.h"
#include "validation/core/index.h"

namespace assay::validation {
namespace {

/// The outcome of a case whose tokens come again: that of the different ones, each with its number as the upstream
/// gradient. The numbers are exact in float32.
template <class Number>
reference::CceOutcome<Number> outcome_of_different(const CceCase& c, const std::vector<std::int64_t>& first_same,
                                                   const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> different, place(counts.size());
  for (std::size_t n = 0; n < counts.size(); ++n) {
    if (counts[n] == 0) continue;
    place[n] = std::ssize(different);
    different.push_back(static_cast<std::int64_t>(n));
  }
  CceCase once = select_tokens(c, different);
  for (const std::int64_t n : different) once.upstream.push_back(static_cast<float>(counts[index(n)]));
  auto outcome = reference::cce_outcome<Number>(once.view());
  std::vector<Number> loss, dhidden;
  dhidden.reserve(c.hidden.size());
  for (const std::int64_t n : first_same) {
    const std::int64_t from = place[index(n)];
    loss.push_back(outcome.loss[index(from)]);
    for (std::int64_t h = 0; h < c.H; ++h)
      dhidden.push_back(Number(outcome.dhidden[index(from * c.H + h)] / Number(counts[index(n)])));
  }
  outcome.loss = std::move(loss);
  outcome.dhidden = std::move(dhidden);
  return outcome;
}

template <class Number>
CceTruth computed_in(const CceCase& c) {
  const std::vector<std::int64_t> first_same = first_same_tokens(c), counts = counts_of(first_same);
  const bool repeats = std::ranges::find(counts, 0) != counts.end();
  auto outcome =
      repeats ? outcome_of_different<Number>(c, first_same, counts) : reference::cce_outcome<Number>(c.view());
  return {std::move(outcome.loss), std::move(outcome.dhidden), std::move(outcome.dweight), std::move(outcome.dbias)};
}

CceTruth compute(const CceCase& c, int digits) {
  const reference::PrecisionScope scope(digits);
  return computed_in<reference::BigFloat>(c);
}

}  // namespace

void require_agreement(const CceTruth& low, const CceTruth& high, int digits) {
  require_same(low.loss, high.loss, digits, "loss");
  require_same(low.dhidden, high.dhidden, digits, "dhidden");
  require_same(low.dweight, high.dweight, digits, "dweight");
  require_same(low.dbias, high.dbias, digits, "dbias");
}

CceTruth truth_of(const CceCase& c, int digits) {
  if (digits == long_double_digits) return computed_in<long double>(c);
  auto [low, high] = both(
      c.hidden.size() + c.weight.size() >= worth_a_thread, [&] { return compute(c, digits); },
      [&] { return compute(c, digits + extra_digits); });
  require_agreement(low, high, digits);
  return std::move(high);
}

}  // namespace assay::validation
