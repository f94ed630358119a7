#include "validation/gradcheck/black_box.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "validation/core/random.h"
#include "validation/gradcheck/arguments.h"
#include "validation/gradcheck/pattern.h"

namespace assay::validation {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr int longest_window = 4;
constexpr double deviations = 6;  ///< an error estimate allows so many standard deviations of noise

using Point = std::vector<double>;
using Function = std::function<double(std::span<const double>)>;

/// A measured number and how far it may be off.
struct Estimate {
  double value = 0;
  double error = infinity;
};

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
  return std::isfinite(largest) ? largest : infinity;
}

/// Evaluates f around one point and estimates the error of a claimed gradient from its differences.
class Probe {
 public:
  Probe(const Function& f, std::span<const double> x, std::span<const double> gradient, const BlackBoxOptions& options)
      : f_(f), x_(x), gradient_(gradient), options_(options), at_x_(f(x)) {
    double largest = 0;
    for (const double value : x) largest = std::max(largest, std::abs(value));
    for (const double value : x) scale_.push_back(value != 0 ? std::abs(value) : largest > 0 ? largest : 1);
    steps_ = options.dtype == Dtype::float64 ? 18 : 10;
  }

  double at_x() const { return at_x_; }
  double scale(std::size_t i) const { return scale_[i]; }
  bool is_constant() const { return constant_; }

  /// g . v
  double claimed(const Point& v) const {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += v[i] == 0 ? 0 : gradient_[i] * v[i];
    return sum;
  }

  /// The error along v that the tolerance on the gradient allows.
  double allowance(const Point& v) const {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += v[i] == 0 ? 0 : std::abs(gradient_[i] * v[i]);
    return options_.tolerance * format_of(options_.gradient_dtype).roundoff * sum +
           format_of(options_.gradient_dtype).smallest;
  }

  /// Keeps the largest noise of all directions, because rounding can hide the noise along one of them.
  void learn_noise(const Point& v) { noise_ = std::max(noise_, noise_along(v)); }

  /// (grad f - g) . v
  Estimate residual(const Point& v) {
    const double noise = std::max(noise_, noise_along(v));
    std::vector<double> h, r;
    for (int k = 0; k < steps_; ++k) {
      h.push_back(std::ldexp(1.0, -3 - k));
      r.push_back(quotient(v, h.back()));
    }
    Estimate best;
    for (std::size_t from = 0; from < h.size(); ++from)
      for (std::size_t size = 2; size <= longest_window && from + size <= h.size(); ++size) {
        const Estimate estimate =
            extrapolated(std::span(h).subspan(from, size), std::span(r).subspan(from, size), noise);
        if (estimate.error < best.error) best = estimate;
      }
    return best;
  }

 private:
  Point moved(const Point& v, double h) const {
    Point point(x_.begin(), x_.end());
    for (std::size_t i = 0; i < v.size(); ++i)
      if (v[i] != 0) point[i] = rounded_to<double>(options_.dtype, x_[i] + h * v[i]);
    return point;
  }

  double value(const Point& point) {
    const double result = f_(point);
    constant_ = constant_ && result == at_x_;
    narrow_ = narrow_ && !(double{static_cast<float>(result)} != result);
    return result;
  }

  /// R(h) at the rounded points.
  double quotient(const Point& v, double h) {
    const Point plus = moved(v, h), minus = moved(v, -h);
    long double expected = 0;
    for (std::size_t i = 0; i < v.size(); ++i)
      if (v[i] != 0) expected += static_cast<long double>(gradient_[i]) * (plus[i] - minus[i]);
    return static_cast<double>((static_cast<long double>(value(plus)) - value(minus) - expected) / (2 * h));
  }

  /// The larger noise of two spacings: for rounding in the declared type, and in float32, which f may use inside.
  double noise_along(const Point& v) {
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

  /// The value at 0 of the polynomial in h^2 through the values.
  static Estimate extrapolated(std::span<const double> h, std::span<const double> r, double noise) {
    double value = 0, noise_squared = 0;
    for (std::size_t j = 0; j < h.size(); ++j) {
      double weight = 1;
      for (std::size_t l = 0; l < h.size(); ++l)
        if (l != j) weight *= h[l] * h[l] / (h[l] * h[l] - h[j] * h[j]);
      value += weight * r[j];
      noise_squared += weight * weight / (2 * h[j] * h[j]);
    }
    if (h.size() == 1) return {value, infinity};
    const std::size_t less = h.size() - 1;
    const double truncation = std::max(std::abs(value - extrapolated(h.first(less), r.first(less), noise).value),
                                       std::abs(value - extrapolated(h.last(less), r.last(less), noise).value));
    const double error = truncation + deviations * noise * std::sqrt(noise_squared);
    return {value, std::isfinite(value) && std::isfinite(error) ? error : infinity};
  }

  const Function& f_;
  std::span<const double> x_, gradient_;
  const BlackBoxOptions& options_;
  double at_x_;
  std::vector<double> scale_;
  int steps_ = 0;
  double noise_ = 0;
  bool constant_ = true;
  bool narrow_ = true;  ///< every value of f so far is a float32 number
};

/// The result along one direction.
struct Direction {
  double derivative = 0;  ///< the measured derivative of f
  double residual = 0, error = infinity, allowance = 0;

  double bound() const { return error + allowance; }
  bool is_wrong() const { return std::isnan(residual) || std::abs(residual) > bound(); }
  double share() const { return residual == 0 ? 0 : std::abs(residual) / bound(); }
};

class BlackBoxCheck {
 public:
  BlackBoxCheck(const Function& f, std::span<const double> x, std::span<const double> gradient,
                const BlackBoxOptions& options)
      : options_(options), x_(x), gradient_(gradient), probe_(f, x, gradient, options), random_(options.seed) {}

  void run(GradcheckRecord& record) {
    if (!std::isfinite(probe_.at_x())) {
      record.verdict = Verdict::error;
      record.explanation = fmt::format("f(x) is {}: expected a finite number", probe_.at_x());
      return;
    }
    for (int d = 0; d < 2; ++d) probe_.learn_noise(random_signs());
    if (gradient_is_finite()) {
      for (int d = 0; d < options_.directions; ++d) directions_.push_back(along(random_signs()));
    }
    measure_coordinates();
    hold(record);
    settle(record);
  }

 private:
  bool gradient_is_finite() const {
    return std::all_of(gradient_.begin(), gradient_.end(), [](double g) { return std::isfinite(g); });
  }

  Point random_signs() {
    Point v;
    for (std::size_t i = 0; i < x_.size(); ++i) v.push_back(random_.chance(0.5) ? probe_.scale(i) : -probe_.scale(i));
    return v;
  }

  Direction along(const Point& v) {
    const Estimate residual = probe_.residual(v);
    return {probe_.claimed(v) + residual.value, residual.value, residual.error, probe_.allowance(v)};
  }

  /// Checks one coordinate at a time, which names the wrong elements. If the claim is NaN, f gives the true value.
  void measure_coordinates() {
    const std::size_t count = std::min(x_.size(), options_.coordinates);
    for (std::size_t i = 0; i < count; ++i) {
      Point v(x_.size());
      v[i] = probe_.scale(i);
      if (std::isfinite(gradient_[i])) {
        coordinates_.push_back(along(v));
      } else {
        coordinates_.push_back({0, std::abs(gradient_[i]), infinity, 0});  // not finite, so wrong in any case
        coordinates_[i].error = 0;
      }
    }
  }

  GradcheckElement element(std::size_t i) const {
    const Direction& d = coordinates_[i];
    const double scale = probe_.scale(i), measured = d.derivative / scale;
    const bool known = std::isfinite(gradient_[i]);
    return {name(i),
            known ? fmt::format("{:.9g} +- {:.2g}", measured, d.error / scale) : "a finite number",
            known ? rounded_to<double>(options_.gradient_dtype, measured) : std::numeric_limits<double>::quiet_NaN(),
            gradient_[i],
            std::abs(d.residual) / scale,
            d.bound() / scale,
            d.share()};
  }

  std::string name(std::size_t i) const { return array_.place(i); }

  /// Counts the wrong elements, lists the worst and looks for patterns.
  void hold(GradcheckRecord& record) {
    describe();
    record.cases = 1;
    record.elements = static_cast<std::int64_t>(coordinates_.size());
    std::vector<std::size_t> wrong;
    for (std::size_t i = 0; i < coordinates_.size(); ++i) {
      if (coordinates_[i].is_wrong()) wrong.push_back(i);
      if (!(coordinates_[i].share() <= record.worst.share)) record.worst.take(coordinates_[i].share(), name(i));
    }
    for (std::size_t d = 0; d < directions_.size() && wrong.empty(); ++d)
      if (!(directions_[d].share() <= record.worst.share))
        record.worst.take(directions_[d].share(), fmt::format("random direction {}", d + 1));
    record.wrong = static_cast<std::int64_t>(wrong.size());
    std::stable_sort(wrong.begin(), wrong.end(), [&](std::size_t a, std::size_t b) {
      const double left = coordinates_[a].share(), right = coordinates_[b].share();
      return std::isnan(left) ? !std::isnan(right) : left > right;
    });
    for (const std::size_t i : wrong)
      if (record.worst_elements.size() < options_.worst) record.worst_elements.push_back(element(i));
    if (coordinates_.size() == x_.size())
      for (const Pattern& pattern : patterns_of(array_, {})) record.patterns.push_back(pattern.sentence);
  }

  /// The claimed and the measured gradient, for the search for patterns.
  void describe() {
    array_ = gradient_array(options_.shape, x_.size());
    for (std::size_t i = 0; i < coordinates_.size(); ++i) {
      array_.got.push_back(gradient_[i]);
      array_.expected.push_back(coordinates_[i].derivative / probe_.scale(i));
      array_.bound.push_back(coordinates_[i].bound() / probe_.scale(i));
      array_.wrong.push_back(coordinates_[i].is_wrong());
    }
  }

  /// The root mean square of the derivatives along the random directions.
  double typical() const {
    double squares = 0;
    for (const Direction& d : directions_) squares += d.derivative * d.derivative;
    return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(directions_.size(), 1)));
  }

  void settle(GradcheckRecord& record) {
    const auto wrong =
        std::count_if(directions_.begin(), directions_.end(), [](const auto& d) { return d.is_wrong(); });
    const double size = typical();
    const auto undecided = std::count_if(directions_.begin(), directions_.end(),
                                         [&](const Direction& d) { return !(d.error <= size / 10); });
    const bool flat = probe_.is_constant() && wrong == 0 && record.wrong == 0;
    if (wrong > 0 || record.wrong > 0) {
      record.verdict = Verdict::fail;
      record.wrong_cases = 1;
      record.explanation =
          fmt::format("the gradient is wrong along {} of {} random directions", wrong, directions_.size());
    } else if (!flat && 2 * undecided > static_cast<std::int64_t>(directions_.size())) {
      record.verdict = Verdict::mistrusted;
      record.explanation = fmt::format(
          "cannot decide: in {} of {} random directions the error of the differences is above a tenth of the "
          "derivatives, about {:.3g}; f is too noisy or too rough for its type: give it in a wider one",
          undecided, directions_.size(), size);
    } else {
      record.verdict = Verdict::pass;
    }
    note_sensitivity(record);
  }

  /// Adds notes on the errors that a pass does not exclude.
  void note_sensitivity(GradcheckRecord& record) const {
    if (record.verdict != Verdict::pass || coordinates_.empty()) return;
    double least = infinity, most = 0;
    std::size_t hidden = 0;
    for (const Direction& d : coordinates_) {
      const double relative = d.bound() / std::abs(d.derivative);
      if (!(relative <= 0.1)) ++hidden;
      least = std::min(least, relative);
      if (relative <= 0.1) most = std::max(most, relative);
    }
    if (hidden < coordinates_.size())
      record.notes.push_back(fmt::format(
          "a relative error of one element would be seen above {:.1e}{}", least,
          least < most ? fmt::format(" in the best known element, above {:.1e} in the least known one", most) : ""));
    if (hidden > 0)
      record.notes.push_back(fmt::format("{} of {} elements are too small beside the noise of f to be known to a tenth",
                                         hidden, coordinates_.size()));
    if (coordinates_.size() < x_.size())
      record.notes.push_back(fmt::format("{} of {} elements were judged by random directions alone",
                                         x_.size() - coordinates_.size(), x_.size()));
  }

  const BlackBoxOptions& options_;
  std::span<const double> x_, gradient_;
  Probe probe_;
  Random random_;
  std::vector<Direction> directions_, coordinates_;
  GradientArray array_;
};

}  // namespace

GradcheckRecord check_black_box(const Function& f, std::span<const double> x, std::span<const double> gradient,
                                const BlackBoxOptions& options) {
  require_matching(x, gradient, options.shape);
  GradcheckRecord record;
  record.subject = options.subject;
  try {
    BlackBoxCheck(f, x, gradient, options).run(record);
  } catch (const std::exception& error) {
    record.verdict = Verdict::error;
    record.explanation = fmt::format("the function threw: {}", error.what());
  }
  return record;
}

}  // namespace assay::validation
