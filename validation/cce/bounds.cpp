#include "validation/cce/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
  double lse = 0;
  double sum_error = 0;  ///< dS
  double lse_error = 0;
};

CceBounds::CceBounds(const CceCase& c, const CceKernelInfo& kernel)
    : case_(c), kernel_(kernel), dhidden_(c.hidden.size()), dweight_(c.weight.size()), dbias_(size(c.V)) {
  std::vector<double> bounds(size(c.N));
  std::vector<double> sizes(size(c.N));
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
  const double share = operations * kernel_.unit_roundoff;
  return share < 1 ? share / (1 - share) : infinity;
}

double CceBounds::chain(std::int64_t terms) const {
  return static_cast<double>(kernel_.longest_chain > 0 ? std::min(terms, kernel_.longest_chain) : terms);
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
    double z = 0;
    double magnitude = 0;
    for (std::int64_t h = 0; h < case_.H; ++h) {
      const double product =
          double{case_.hidden_at(token.n, h)} * double{case_.weight_at(static_cast<std::int64_t>(v), h)};
      z += product;
      magnitude += std::abs(product);
    }
    const double bias = case_.bias.empty() ? 0 : double{case_.bias[v]};
    token.x[v] = z + bias;
    token.x_error[v] =
        std::isinf(bias) ? 0 : gamma(static_cast<double>(case_.H) + 2) * (magnitude + std::abs(bias)) + smallest_float;
    if (case_.has_softcap()) measure_softcap(token, v);
  }
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
  const double u = kernel_.unit_roundoff;
  const double k = kernel_.exp_error;
  const double m = *std::max_element(token.x.begin(), token.x.end());
  double sum = 0;
  for (const double x : token.x) {
    token.p.push_back(std::exp(x - m));
    sum += token.p.back();
  }
  for (double& p : token.p) p /= sum;
  token.lse = m + std::log(sum);
  double growth = 0;
  double first_order = 0;
  for (std::size_t v = 0; v < token.x.size(); ++v) {
    const double distance = std::isinf(token.x[v]) ? 0 : m - token.x[v];
    const double error = token.x_error[v] + u * (distance + 2 * std::abs(token.lse)) + (k + 2) * u;
    token.p_error.push_back(error);
    growth += token.p[v] * std::expm1(error);
    first_order += token.p[v] * token.x_error[v];
  }
  token.sum_error = std::log1p(growth) + (k + 3) * u * chain(case_.V);
  for (double& error : token.p_error) error = std::expm1(error + token.sum_error);
  token.lse_error = token.sum_error + first_order + u * std::abs(token.lse);
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
  const double distance = token.lse - token.x[token.target];
  const double own = u * ((kernel_.exp_error + 3) * chain(case_.V) + 2 * std::abs(token.lse) + 2 * target_size +
                          2 * std::abs(distance) + kernel_.exp_error + 4);
  const double squared = case_.z_loss * (4 * u * token.lse * token.lse + token.lse_error * token.lse_error +
                                         2 * std::abs(token.lse) * own);
  return from_logits + std::abs(f) * second_order + own + squared + gamma(chain(case_.V) + 3) * magnitude;
}

void CceBounds::add_gradients(const Token& token) {
  const double u = kernel_.unit_roundoff;
  const double weight = std::abs(case_.token_weight(token.n));
  const double pull = 2 * case_.z_loss * std::abs(token.lse);
  const double f = std::abs(1 + 2 * case_.z_loss * token.lse);
  const int roundings = case_.dtype == Dtype::bfloat16 ? kernel_.bfloat16_roundings : 0;
  const double rounding = std::pow(1 + format_of(Dtype::bfloat16).roundoff, roundings) - 1;
  const double over_entries = gamma(chain(case_.V) + 5);
  const double over_tokens = gamma(chain(case_.N) + 5);
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
      dhidden_[size(token.n * case_.H + h)] += (error + over_entries * magnitude) * w;
      dweight_[v * size(case_.H) + size(h)] += (error + over_tokens * magnitude) * x;
    }
    dbias_[v] += error + over_tokens * magnitude;
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
  double total = 0;
  for (std::size_t n = 0; n < bounds.size(); ++n)
    total += share * (bounds[n] + gamma(chain(case_.N) + 3) * sizes[n] + float_roundoff * (sizes[n] + bounds[n]));
  loss_ = {total + 0x1p-149};
}

}  // namespace assay::validation
