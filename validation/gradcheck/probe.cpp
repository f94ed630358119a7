#include "validation/gradcheck/probe.h"

#include <algorithm>
#include <cmath>

namespace assay::validation {
namespace {

constexpr std::size_t longest_window = 4;
constexpr double deviations = 6;  ///< an error estimate allows so many standard deviations of noise

/// The standard deviation of the noise in equally spaced values of a smooth function, by their differences of order 4
/// to 6 (More and Wild 2011): T_k = k-th differences, sigma_k^2 = (k!)^2 / (2 k)! mean(T_k^2). Infinite if a value is.
double noise_of(std::vector<double> values) {
  double largest = 0, factor = 1;
  for (int k = 1; k <= 6; ++k) {
    double squares = 0;
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      values[i] = values[i + 1] - values[i];
      squares += values[i] * values[i];
    }
    values.pop_back();
    factor *= k / (2.0 * (2 * k - 1));
    const double sigma = std::sqrt(factor * squares / static_cast<double>(values.size()));
    if (k >= 4) largest = sigma <= largest ? largest : sigma;
  }
  return std::isfinite(largest) ? largest : std::numeric_limits<double>::infinity();
}

/// The value at 0 of the polynomial in h^2 through the values.
Estimate extrapolated(std::span<const double> h, std::span<const double> r, double noise) {
  double value = 0, noise_squared = 0;
  for (std::size_t j = 0; j < h.size(); ++j) {
    double weight = 1;
    for (std::size_t l = 0; l < h.size(); ++l)
      if (l != j) weight *= h[l] * h[l] / (h[l] * h[l] - h[j] * h[j]);
    value += weight * r[j];
    noise_squared += weight * weight / (2 * h[j] * h[j]);
  }
  if (h.size() == 1) return {value};
  const std::size_t less = h.size() - 1;
  const double truncation = std::max(std::abs(value - extrapolated(h.first(less), r.first(less), noise).value),
                                     std::abs(value - extrapolated(h.last(less), r.last(less), noise).value));
  const double error = truncation + deviations * noise * std::sqrt(noise_squared);
  return {value, std::isfinite(value) && std::isfinite(error) ? error : std::numeric_limits<double>::infinity()};
}

}  // namespace

Probe::Probe(const Function& f, std::span<const double> x, std::span<const double> gradient,
             const BlackBoxOptions& options)
    : f_(f), x_(x), gradient_(gradient), options_(options), at_x_(f(x)) {
  double largest = 0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  for (const double value : x) scale_.push_back(value != 0 ? std::abs(value) : largest > 0 ? largest : 1);
  steps_ = options.dtype == Dtype::float64 ? 18 : 10;
}

double Probe::claimed(const Direction& v) const {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) sum += v[i] == 0 ? 0 : gradient_[i] * v[i];
  return sum;
}

double Probe::allowance(const Direction& v) const {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) sum += v[i] == 0 ? 0 : std::abs(gradient_[i] * v[i]);
  return options_.tolerance * format_of(options_.gradient_dtype).roundoff * sum +
         format_of(options_.gradient_dtype).smallest;
}

void Probe::learn_noise(const Direction& v) {
  noise_ = std::max(noise_, noise_along(v));
}

Estimate Probe::residual(const Direction& v) {
  const double noise = std::max(noise_, noise_along(v));
  std::vector<double> h, r;
  for (int k = 0; k < steps_; ++k) {
    h.push_back(std::ldexp(1.0, -3 - k));
    r.push_back(quotient(v, h.back()));
  }
  Estimate best;
  for (std::size_t from = 0; from < h.size(); ++from)
    for (std::size_t size = 2; size <= longest_window && from + size <= h.size(); ++size) {
      const Estimate estimate = extrapolated(std::span(h).subspan(from, size), std::span(r).subspan(from, size), noise);
      if (estimate.error < best.error) best = estimate;
    }
  return best;
}

std::vector<double> Probe::moved(const Direction& v, double h) const {
  std::vector<double> point(x_.begin(), x_.end());
  for (std::size_t i = 0; i < v.size(); ++i)
    if (v[i] != 0) point[i] = rounded_to<double>(options_.dtype, x_[i] + h * v[i]);
  return point;
}

double Probe::value(std::span<const double> point) {
  const double result = f_(point);
  constant_ = constant_ && result == at_x_;
  narrow_ = narrow_ && !(double{static_cast<float>(result)} != result);
  return result;
}

/// R(h) at the rounded points.
double Probe::quotient(const Direction& v, double h) {
  const std::vector<double> plus = moved(v, h), minus = moved(v, -h);
  long double expected = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    if (v[i] != 0) expected += static_cast<long double>(gradient_[i]) * (plus[i] - minus[i]);
  return static_cast<double>((static_cast<long double>(value(plus)) - value(minus) - expected) / (2 * h));
}

/// The larger noise of two spacings: for rounding in the declared type, and in float32, which f may use inside.
double Probe::noise_along(const Direction& v) {
  constexpr int points = 9;
  double noise = 0;
  for (const double spacing : {64 * format_of(options_.dtype).roundoff, 0x1p-18}) {
    std::vector<double> values;
    for (int i = 0; i < points; ++i) values.push_back(value(moved(v, (i - points / 2) * spacing)));
    noise = std::max(noise, noise_of(values));
  }
  const double roundoff = narrow_ ? 0x1p-24 : format_of(options_.dtype).roundoff;
  return std::max(noise, roundoff * std::abs(at_x_));
}

}  // namespace assay::validation
