#include "validation/cce/bounds.h"

#include <algorithm>
#include <cmath>

#include "validation/cce/same_tokens.h"
#include "validation/core/index.h"
#include "validation/core/infinity.h"
#include "validation/core/sums.h"

namespace assay::validation {
namespace {

/// A bound is infinite if n u >= 1. Its product with 0, or its difference from another such bound, counts as infinite.
void claim_nothing_for_nan(std::vector<double>& bounds) {
  for (double& bound : bounds)
    if (std::isnan(bound)) bound = infinity;
}

}  // namespace

CceBounds::CceBounds(const CceCase& c, const CceKernelInfo& kernel)
    : case_(c), kernel_(kernel), dhidden_(c.hidden.size()), dweight_(c.weight.size()), dbias_(index(c.V)) {
  std::vector<double> bounds(index(c.N));
  std::vector<double> sizes(index(c.N));
  count_terms();
  const std::vector<std::int64_t> first_same = first_same_tokens(c), counts = counts_of(first_same);
  for (std::int64_t n = 0; n < c.N; ++n) {
    if (c.is_ignored(n)) continue;
    if (const std::int64_t first = first_same[index(n)]; first != n) {
      bounds[index(n)] = bounds[index(first)];
      sizes[index(n)] = sizes[index(first)];
      token_range_[index(n)] = token_range_[index(first)];
      std::copy_n(dhidden_.begin() + first * c.H, c.H, dhidden_.begin() + n * c.H);
      continue;
    }
    const CceToken token = measure_token(c, kernel, n);
    bounds[index(n)] = bound_loss(token);
    sizes[index(n)] = rough_loss(token);
    add_gradients(token, static_cast<double>(counts[index(n)]));
    add_ranges(token, static_cast<double>(counts[index(n)]));
  }
  reduce_losses(bounds, sizes);
  for (auto* const all : {&loss_, &dhidden_, &dweight_, &dbias_}) claim_nothing_for_nan(*all);
}

double CceBounds::gamma(double operations) const {
  return validation::gamma(operations, kernel_.unit_roundoff);
}

double CceBounds::chain(double terms) const {
  return additions_in_chain(kernel_, terms);
}

void CceBounds::count_terms() {
  const auto H = index(case_.H);
  over_entries_.resize(H);
  over_tokens_.resize(H + 1);
  token_range_.resize(index(case_.N));
  column_range_.resize(H + 1);
  largest_weight_.resize(H);
  for (std::size_t i = 0; i < case_.weight.size(); ++i) {
    over_entries_[i % H] += case_.weight[i] != 0 ? 1 : 0;
    largest_weight_[i % H] = std::max(largest_weight_[i % H], std::abs(double{case_.weight[i]}));
  }
  for (std::int64_t n = 0; n < case_.N; ++n) {
    if (case_.is_ignored(n) || case_.token_weight(n) == 0) continue;
    for (std::size_t h = 0; h < H; ++h)
      over_tokens_[h] += case_.hidden_at(n, static_cast<std::int64_t>(h)) != 0 ? 1 : 0;
    over_tokens_[H] += 1;
  }
}

double CceBounds::stored(double bound, double exact) const {
  // A stored infinity must not widen its own bound. If `exact` is NaN, so is the bound, and no element is within it.
  const double size = std::min(std::abs(exact), largest());
  return bound + format_of(case_.dtype).roundoff * (size + bound) + smallest_store(case_.dtype);
}

double CceBounds::smallest_store(Dtype dtype) const {
  const bool flushes = kernel_.flushes_subnormals && dtype != Dtype::float16;
  return flushes ? smallest_unflushed : format_of(dtype).smallest;
}

double CceBounds::dhidden_range(std::size_t i) const {
  const auto H = index(case_.H);
  return token_range_[i / H] * largest_weight_[i % H];
}

double CceBounds::dweight_range(std::size_t i) const {
  return column_range_[i % index(case_.H)];
}

double CceBounds::dbias_range(std::size_t /*v*/) const {
  return column_range_.back();
}

void CceBounds::add_ranges(const CceToken& token, double times) {
  const double range = std::abs(case_.token_weight(token.n)) * (std::abs(1 + 2 * case_.z_loss * token.lse) + 1);
  token_range_[index(token.n)] = range;
  for (std::int64_t h = 0; h < case_.H; ++h)
    column_range_[index(h)] += times * range * std::abs(double{case_.hidden_at(token.n, h)});
  column_range_.back() += times * range;
}

double CceBounds::largest() const {
  return format_of(case_.dtype).largest;
}

/// The loss to a few digits, or 0 if the loss is infinite: the size of the rounding when the loss is stored.
double CceBounds::rough_loss(const CceToken& token) const {
  const double eps = case_.label_smoothing;
  double loss = token.lse + case_.z_loss * token.lse * token.lse;
  if (eps < 1) loss -= (1 - eps) * token.x[token.target];
  for (const double x : token.x) loss -= eps > 0 ? eps / static_cast<double>(case_.V) * x : 0;
  return std::isfinite(loss) ? std::abs(loss) : 0;
}

double CceBounds::bound_loss(const CceToken& token) const {
  const double f = 1 + 2 * case_.z_loss * token.lse;
  const double smoothed = case_.label_smoothing / static_cast<double>(case_.V);
  double from_logits = 0;
  double second_order = 0;
  double magnitude = 0;
  for (std::size_t v = 0; v < token.x.size(); ++v) {
    const bool is_target = v == token.target;
    const double slope = token.p[v] * f - (is_target ? 1 - case_.label_smoothing : 0) - smoothed;
    const double error = token.x_error[v];
    from_logits += std::abs(slope) * error;
    second_order += token.p[v] * (std::expm1(error) - error);
    if (smoothed > 0) magnitude += smoothed * std::abs(token.x[v]);
  }
  const double target_size = case_.label_smoothing < 1 ? std::abs(token.x[token.target]) : 0;
  if (!std::isfinite(target_size) || !std::isfinite(magnitude)) return 0;  // the loss is infinite
  return from_logits + std::abs(f) * second_order + own_roundings(token) +
         gamma(roundings_in_chain(kernel_, static_cast<double>(case_.V)) + 3) * magnitude;
}

/// The roundings of a loss whose logits are right.
double CceBounds::own_roundings(const CceToken& token) const {
  const double u = kernel_.unit_roundoff;
  const double target = case_.label_smoothing < 1 ? token.x[token.target] : 0;
  const double lse = std::abs(token.lse);
  const bool is_shift_lost = !token.exact || case_.label_smoothing > 0;
  const double differences = is_shift_lost ? 2 * lse + 2 * std::abs(target) + 2 * std::abs(token.lse - target)
                                           : 2 * (token.max - target) + 2 * token.log_sum;
  const double squared = 8 * u * lse * lse + token.lse_error * token.lse_error + 2 * lse * token.rounding;
  return token.rounding + u * differences + case_.z_loss * squared;
}

void CceBounds::add_gradients(const CceToken& token, double times) {
  const double u = kernel_.unit_roundoff;
  const double weight = std::abs(case_.token_weight(token.n));
  const double pull = 2 * case_.z_loss * std::abs(token.lse);
  const double f = std::abs(1 + 2 * case_.z_loss * token.lse);
  const int roundings = case_.dtype == Dtype::bfloat16 ? kernel_.bfloat16_roundings : 0;
  const double rounding = std::pow(1 + format_of(Dtype::bfloat16).roundoff, roundings) - 1;
  const auto over = [&](double terms) { return gamma(chain(terms) + 5); };
  for (std::size_t v = 0; v < token.p.size(); ++v) {
    const bool is_target = v == token.target;
    // At the target a kernel may compute p_t f - 1, or 2 zeta lse p_t minus the sum over all other entries.
    const double others = is_target ? 1 - token.p[v] + pull * token.p[v] : 0;
    const double softmax = std::max(f * token.p[v], others);
    const double terms = softmax + (is_target ? 1 : 0) + case_.label_smoothing / static_cast<double>(case_.V);
    const double x_error = softmax * token.p_error[v] +
                           2 * case_.z_loss * token.p[v] * token.lse_error * (1 + token.p_error[v]) + 4 * u * terms +
                           (4 + f) * format_of(Dtype::float32).smallest_normal;
    const double slope = token.slope[v] + token.slope_error[v];
    const double flush = kernel_.flushes_subnormals && weight != 0 ? smallest_unflushed : 0;
    const double error = weight * (slope * (x_error + (rounding + 3 * u) * terms) + terms * token.slope_error[v]) +
                         (slope * terms + 2) * flush;
    const double magnitude = weight * slope * terms;
    // What a product, its addition and a factor that is taken for 0 lose.
    const auto flushed = [&](double factor) {
      return flush == 0 || factor == 0 ? 0 : 2 * flush + (is_flushed(factor) ? magnitude * factor : 0);
    };
    for (std::int64_t h = 0; h < case_.H; ++h) {
      const double w = std::abs(double{case_.weight_at(static_cast<std::int64_t>(v), h)});
      const double x = std::abs(double{case_.hidden_at(token.n, h)});
      dhidden_[index(token.n * case_.H + h)] += (error + over(over_entries_[index(h)]) * magnitude) * w + flushed(w);
      dweight_[v * index(case_.H) + index(h)] +=
          times * ((error + over(over_tokens_[index(h)]) * magnitude) * x + flushed(x));
    }
    dbias_[v] += times * (error + over(over_tokens_.back()) * magnitude + flushed(1));
  }
}

void CceBounds::reduce_losses(const std::vector<double>& bounds, const std::vector<double>& sizes) {
  constexpr double float_roundoff = 0x1p-24;
  if (case_.reduction == Reduction::none) {
    for (std::size_t n = 0; n < bounds.size(); ++n)
      loss_.push_back(bounds[n] + float_roundoff * (sizes[n] + bounds[n]) + smallest_store(Dtype::float32));
    return;
  }
  const double share =
      case_.reduction == Reduction::mean ? 1 / static_cast<double>(std::max<std::int64_t>(case_.valid_tokens(), 1)) : 1;
  std::vector<double> terms;
  double size = 0;
  double error = 0;
  for (std::size_t n = 0; n < bounds.size(); ++n) {
    error += share * (bounds[n] + float_roundoff * (sizes[n] + bounds[n]));
    terms.push_back(share * (sizes[n] + bounds[n]));
    size += terms.back();
  }
  const double additions = roundings_in_chain(kernel_, effective_terms(terms, size, sum_roundoff(kernel_)));
  loss_ = {error + gamma(additions + 3) * size + smallest_store(Dtype::float32)};
}

}  // namespace assay::validation
