#include "validation/cce/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "validation/core/sums.h"

namespace assay::validation {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double smallest_float = 0x1p-126;

std::size_t size(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

/// A bound is infinite if n u >= 1. Its product with 0, or its difference from another such bound, counts as infinite.
void claim_nothing_for_nan(std::vector<double>& bounds) {
  for (double& bound : bounds)
    if (std::isnan(bound)) bound = infinity;
}

}  // namespace

/// The intermediate quantities of one token; vectors are [V].
struct CceBounds::Token {
  std::int64_t n = 0;
  std::size_t target = 0;
  std::vector<double> x;            ///< the logits after the cap
  std::vector<double> x_error;      ///< dx
  std::vector<double> slope;        ///< 1 - tanh^2
  std::vector<double> slope_error;  ///< its error
  std::vector<double> p;
  std::vector<double> p_error;  ///< pi
  bool exact = true;            ///< whether every order of summation gives the exact logits
  double max = 0;
  double log_sum = 0;  ///< lse - max
  double lse = 0;
  double rounding = 0;  ///< of the sum and its logarithm, where the logits are exact
  double lse_error = 0;
};

CceBounds::CceBounds(const CceCase& c, const CceKernelInfo& kernel)
    : case_(c), kernel_(kernel), dhidden_(c.hidden.size()), dweight_(c.weight.size()), dbias_(size(c.V)) {
  std::vector<double> bounds(size(c.N));
  std::vector<double> sizes(size(c.N));
  count_terms();
  for (std::int64_t n = 0; n < c.N; ++n) {
    if (c.is_ignored(n)) continue;
    Token token;
    token.n = n;
    token.target = size(c.targets[size(n)]);
    measure_logits(token);
    measure_softmax(token);
    bounds[size(n)] = bound_loss(token);
    sizes[size(n)] = rough_loss(token);
    add_gradients(token);
  }
  reduce_losses(bounds, sizes);
  for (auto* const all : {&loss_, &dhidden_, &dweight_, &dbias_}) claim_nothing_for_nan(*all);
}

double CceBounds::gamma(double operations) const {
  return validation::gamma(operations, kernel_.unit_roundoff);
}

double CceBounds::chain(double terms) const {
  return kernel_.longest_chain > 0 ? std::min(terms, static_cast<double>(kernel_.longest_chain)) : terms;
}

void CceBounds::count_terms() {
  const auto H = size(case_.H);
  over_entries_.resize(H);
  over_tokens_.resize(H + 1);
  for (std::size_t i = 0; i < case_.weight.size(); ++i) over_entries_[i % H] += case_.weight[i] != 0 ? 1 : 0;
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
  return bound + format_of(case_.dtype).roundoff * (size + bound) + format_of(case_.dtype).smallest;
}

double CceBounds::largest() const {
  return format_of(case_.dtype).largest;
}

void CceBounds::measure_logits(Token& token) const {
  const auto V = size(case_.V);
  token.x.resize(V);
  token.x_error.resize(V);
  token.slope.assign(V, 1);
  token.slope_error.assign(V, 0);
  for (std::size_t v = 0; v < V; ++v) {
    measure_logit(token, v);
    if (case_.has_softcap()) measure_softcap(token, v);
  }
}

void CceBounds::measure_logit(Token& token, std::size_t v) const {
  Grid grid;
  double z = 0;
  double magnitude = 0;
  double terms = 0;
  const auto add = [&](double term) {
    grid.add(term);
    z += term;
    magnitude += std::abs(term);
    terms += term != 0 ? 1 : 0;
  };
  for (std::int64_t h = 0; h < case_.H; ++h)
    add(double{case_.hidden_at(token.n, h)} * double{case_.weight_at(static_cast<std::int64_t>(v), h)});
  const double bias = case_.bias.empty() ? 0 : double{case_.bias[v]};
  token.x[v] = z + bias;
  if (std::isinf(bias)) return;
  if (bias != 0) add(bias);
  const bool exact = grid.is_exact(magnitude, kernel_.unit_roundoff);
  token.exact = token.exact && exact && !case_.has_softcap();
  token.x_error[v] = (exact ? 0 : gamma(terms + 2) * magnitude) + smallest_float;
}

void CceBounds::measure_softcap(Token& token, std::size_t v) const {
  const double cap = case_.logit_softcap;
  const double u = kernel_.unit_roundoff;
  const double z = token.x[v];
  const double z_error = token.x_error[v];
  const double tanh = std::tanh(z / cap);
  const double flattest = std::tanh(std::max(0.0, std::abs(z) - z_error) / cap);
  token.x[v] = cap * tanh;
  token.x_error[v] = (1 - flattest * flattest) * z_error + (kernel_.exp_error + 2) * u * std::abs(token.x[v]);
  token.slope[v] = 1 - tanh * tanh;
  // |d tanh^2 / dz| <= 4 / (3 sqrt 3 cap) < 0.77 / cap
  token.slope_error[v] = std::min(1.0, 0.77 / cap * z_error) + (2 * kernel_.exp_error + 4) * u * tanh * tanh;
}

void CceBounds::measure_softmax(Token& token) const {
  token.max = *std::max_element(token.x.begin(), token.x.end());
  double sum = 0;
  for (const double x : token.x) {
    token.p.push_back(std::exp(x - token.max));
    sum += token.p.back();
  }
  for (double& p : token.p) p /= sum;
  token.log_sum = std::log(sum);
  token.lse = token.max + token.log_sum;
  bound_softmax(token);
}

void CceBounds::bound_softmax(Token& token) const {
  const double u = kernel_.unit_roundoff;
  const double k = kernel_.exp_error;
  const auto distance = [&](std::size_t v) { return std::isinf(token.x[v]) ? 0 : token.max - token.x[v]; };
  double growth = 0;
  double first_order = 0;
  double spread = 0;
  for (std::size_t v = 0; v < token.x.size(); ++v) {
    token.p_error.push_back(token.x_error[v] + u * distance(v) + (k + 2) * u);
    growth += token.p[v] * std::expm1(token.p_error[v]);
    first_order += token.p[v] * token.x_error[v];
    spread += token.p[v] * distance(v);
  }
  const double additions = additions_of_sum(token, growth);
  const double sum_error = std::log1p(growth) + additions;
  token.rounding = additions + u * (spread + (k + 1) * (token.log_sum + 1) + 5);
  token.lse_error = sum_error + first_order + u * ((k + 1) * token.log_sum + std::abs(token.lse));
  const double of_lse = u * ((k + 2) * token.log_sum + (token.exact ? 0 : 2 * std::abs(token.lse)));
  for (std::size_t v = 0; v < token.x.size(); ++v)
    token.p_error[v] = std::expm1(token.p_error[v] + sum_error + u * distance(v) + of_lse);
}

/// gamma(M). The terms may be larger by their errors, and the sum smaller by `growth`.
double CceBounds::additions_of_sum(const Token& token, double growth) const {
  std::vector<double> sizes;
  std::vector<Exponential> terms;
  for (std::size_t v = 0; v < token.x.size(); ++v) {
    sizes.push_back(token.p[v] * std::exp(token.p_error[v]) * (1 + growth));
    terms.push_back({token.x[v], sizes.back()});
  }
  const double rescalings = chain(rescaled_shares(terms, !token.exact));
  return gamma(chain(effective_terms(sizes, 1, kernel_.unit_roundoff)) + (kernel_.exp_error + 2) * rescalings);
}

/// The loss to a few digits, or 0 if the loss is infinite: the size of the rounding when the loss is stored.
double CceBounds::rough_loss(const Token& token) const {
  const double eps = case_.label_smoothing;
  double loss = token.lse + case_.z_loss * token.lse * token.lse;
  if (eps < 1) loss -= (1 - eps) * token.x[token.target];
  for (const double x : token.x) loss -= eps > 0 ? eps / static_cast<double>(case_.V) * x : 0;
  return std::isfinite(loss) ? std::abs(loss) : 0;
}

double CceBounds::bound_loss(const Token& token) const {
  const double u = kernel_.unit_roundoff;
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
  const double lse = std::abs(token.lse);
  const double log_space = token.exact && smoothed == 0
                               ? 2 * (token.max - token.x[token.target]) + 2 * token.log_sum
                               : 2 * lse + 2 * target_size + 2 * std::abs(token.lse - token.x[token.target]);
  const double squared =
      case_.z_loss * (8 * u * lse * lse + token.lse_error * token.lse_error + 2 * lse * token.rounding);
  return from_logits + std::abs(f) * second_order + token.rounding + u * log_space + squared +
         gamma(chain(static_cast<double>(case_.V)) + 3) * magnitude;
}

void CceBounds::add_gradients(const Token& token) {
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
                           (4 + f) * smallest_float;
    const double slope = token.slope[v] + token.slope_error[v];
    const double error = weight * (slope * (x_error + (rounding + 3 * u) * terms) + terms * token.slope_error[v]);
    const double magnitude = weight * slope * terms;
    for (std::int64_t h = 0; h < case_.H; ++h) {
      const double w = std::abs(double{case_.weight_at(static_cast<std::int64_t>(v), h)});
      const double x = std::abs(double{case_.hidden_at(token.n, h)});
      dhidden_[size(token.n * case_.H + h)] += (error + over(over_entries_[size(h)]) * magnitude) * w;
      dweight_[v * size(case_.H) + size(h)] += (error + over(over_tokens_[size(h)]) * magnitude) * x;
    }
    dbias_[v] += error + over(over_tokens_.back()) * magnitude;
  }
}

void CceBounds::reduce_losses(const std::vector<double>& bounds, const std::vector<double>& sizes) {
  constexpr double float_roundoff = 0x1p-24;
  if (case_.reduction == Reduction::none) {
    for (std::size_t n = 0; n < bounds.size(); ++n)
      loss_.push_back(bounds[n] + float_roundoff * (sizes[n] + bounds[n]) + 0x1p-149);
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
  const double additions = gamma(chain(effective_terms(terms, size, kernel_.unit_roundoff)) + 3);
  loss_ = {error + additions * size + 0x1p-149};
}

}  // namespace assay::validation
