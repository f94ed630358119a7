#include "validation/cce/magnitudes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "validation/core/index.h"
#include "validation/core/sums.h"

namespace assay::validation {
namespace {

class Measurement {
 public:
  Measurement(const CceCase& c, const CceKernelInfo& kernel, std::int64_t n) : case_(c), kernel_(kernel) {
    token_.n = n;
    token_.target = index(c.targets[index(n)]);
    measure_logits();
    measure_softmax();
    bound_softmax();
  }

  CceToken token() && { return std::move(token_); }

 private:
  void measure_logits() {
    const auto V = index(case_.V);
    token_.x.resize(V);
    token_.x_error.resize(V);
    token_.slope.assign(V, 1);
    token_.slope_error.assign(V, 0);
    for (std::size_t v = 0; v < V; ++v) {
      measure_logit(v);
      if (case_.has_softcap()) measure_softcap(v);
    }
  }

  void measure_logit(std::size_t v) {
    Grid grid;
    double z = 0;
    double magnitude = 0;
    double terms = 0;
    double flushed = 0;
    const auto add = [&](double term) {
      grid.add(term);
      z += term;
      magnitude += std::abs(term);
      terms += term != 0 ? 1 : 0;
    };
    for (std::int64_t h = 0; h < case_.H; ++h) {
      const double a = case_.hidden_at(token_.n, h), b = case_.weight_at(static_cast<std::int64_t>(v), h);
      add(a * b);
      if (is_flushed(a) || is_flushed(b)) flushed += std::abs(a * b);
    }
    const double bias = case_.bias.empty() ? 0 : double{case_.bias[v]};
    token_.x[v] = z + bias;
    if (std::isinf(bias)) return;
    if (bias != 0) add(bias);
    const bool exact = grid.is_exact(magnitude, kernel_.unit_roundoff) && !kernel_.rounded_lse;
    token_.exact = token_.exact && exact && !case_.has_softcap();
    token_.x_error[v] = (exact ? 0 : gamma(terms + 2, kernel_.unit_roundoff) * magnitude) + smallest_unflushed;
    if (kernel_.flushes_subnormals) token_.x_error[v] += flushed + 2 * terms * smallest_unflushed;
  }

  void measure_softcap(std::size_t v) {
    const double cap = case_.logit_softcap;
    const double u = kernel_.unit_roundoff;
    const double z = token_.x[v];
    const double z_error = token_.x_error[v];
    const double tanh = std::tanh(z / cap);
    const double flattest = std::tanh(std::max(0.0, std::abs(z) - z_error) / cap);
    token_.x[v] = cap * tanh;
    token_.x_error[v] = (1 - flattest * flattest) * z_error + (kernel_.exp_error + 2) * u * std::abs(token_.x[v]);
    token_.slope[v] = 1 - tanh * tanh;
    // |d tanh^2 / dz| <= 4 / (3 sqrt 3 cap) < 0.77 / cap
    token_.slope_error[v] = std::min(1.0, 0.77 / cap * z_error) + (2 * kernel_.exp_error + 4) * u * tanh * tanh;
  }

  void measure_softmax() {
    token_.max = *std::max_element(token_.x.begin(), token_.x.end());
    double sum = 0;
    for (const double x : token_.x) {
      token_.p.push_back(std::exp(x - token_.max));
      sum += token_.p.back();
    }
    for (double& p : token_.p) p /= sum;
    token_.log_sum = std::log(sum);
    token_.lse = token_.max + token_.log_sum;
  }

  void bound_softmax() {
    const double u = kernel_.unit_roundoff;
    const double k = kernel_.exp_error;
    const auto distance = [&](std::size_t v) { return std::isinf(token_.x[v]) ? 0 : token_.max - token_.x[v]; };
    double growth = 0;
    double first_order = 0;
    double spread = 0;
    for (std::size_t v = 0; v < token_.x.size(); ++v) {
      token_.p_error.push_back(token_.x_error[v] + u * distance(v) + (k + 2) * u);
      growth += token_.p[v] * std::expm1(token_.p_error[v]);
      first_order += token_.p[v] * token_.x_error[v];
      spread += token_.p[v] * distance(v);
    }
    const double additions = additions_of_sum(growth);
    const double sum_error = std::log1p(growth) + additions;
    token_.rounding = additions + u * (spread + (k + 1) * (token_.log_sum + 1) + 5);
    token_.lse_error = sum_error + first_order + u * ((k + 1) * token_.log_sum + std::abs(token_.lse));
    const double of_lse = u * ((k + 2) * token_.log_sum + (token_.exact ? 0 : 2 * std::abs(token_.lse)));
    for (std::size_t v = 0; v < token_.x.size(); ++v)
      token_.p_error[v] = std::expm1(token_.p_error[v] + sum_error + u * distance(v) + of_lse);
  }

  /// Whether every exponential is exp(0) = 1, and every partial sum an integer that the arithmetic has.
  bool is_sum_of_ones() const {
    const bool is_exact = token_.exact && static_cast<double>(token_.x.size()) * kernel_.unit_roundoff <= 1;
    return is_exact && std::ranges::all_of(token_.x, [&](double x) { return x == token_.max || std::isinf(x); });
  }

  /// gamma(M). The terms may be larger by their errors, and the sum smaller by `growth`.
  double additions_of_sum(double growth) const {
    if (is_sum_of_ones()) return 0;
    const double u = kernel_.unit_roundoff;
    std::vector<double> sizes;
    std::vector<Exponential> terms;
    for (std::size_t v = 0; v < token_.x.size(); ++v) {
      sizes.push_back(token_.p[v] * std::exp(token_.p_error[v]) * (1 + growth));
      terms.push_back({token_.x[v], sizes.back()});
    }
    const double additions = roundings_in_chain(kernel_, effective_terms(sizes, 1, sum_roundoff(kernel_)));
    const Rescaling rescaling{.cost = kernel_.exp_error + 2,
                              .unit_roundoff = u,
                              .may_break_ties = !token_.exact,
                              .max_changes = additions_in_chain(kernel_, static_cast<double>(terms.size()))};
    return gamma(additions + rescaling_error(terms, rescaling), u);
  }

  const CceCase& case_;
  const CceKernelInfo& kernel_;
  CceToken token_;
};

}  // namespace

CceToken measure_token(const CceCase& c, const CceKernelInfo& kernel, std::int64_t n) {
  return Measurement(c, kernel, n).token();
}

double additions_in_chain(const CceKernelInfo& kernel, double terms) {
  return kernel.longest_chain > 0 ? std::min(terms, static_cast<double>(kernel.longest_chain)) : terms;
}

double sum_roundoff(const CceKernelInfo& kernel) {
  return kernel.sum_roundoff > 0 ? kernel.sum_roundoff : kernel.unit_roundoff;
}

double roundings_in_chain(const CceKernelInfo& kernel, double terms) {
  return additions_in_chain(kernel, terms) * (sum_roundoff(kernel) / kernel.unit_roundoff);
}

}  // namespace assay::validation
