#include "validation/gradcheck/black_box.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "validation/core/infinity.h"
#include "validation/core/random.h"
#include "validation/gradcheck/arguments.h"
#include "validation/gradcheck/mistrust.h"
#include "validation/gradcheck/pattern.h"
#include "validation/gradcheck/probe.h"

namespace assay::validation {
namespace {

constexpr const char* what_to_do =
    "f is too noisy or too rough for its type: give it in a wider one, such as float64, or leave out large constants";

/// The result along one direction.
struct DirectionResult {
  double derivative = 0;  ///< the measured derivative of f
  double residual = 0, error = infinity, allowance = 0;

  double bound() const { return error + allowance; }
  bool is_wrong() const { return std::isnan(residual) || std::abs(residual) > bound(); }
  double share() const { return residual == 0 ? 0 : std::abs(residual) / bound(); }
};

class BlackBoxCheck {
 public:
  BlackBoxCheck(const Probe::Function& f, std::span<const double> x, std::span<const double> gradient,
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

  Probe::Direction random_signs() {
    Probe::Direction v;
    for (std::size_t i = 0; i < x_.size(); ++i) v.push_back(random_.chance(0.5) ? probe_.scale(i) : -probe_.scale(i));
    return v;
  }

  DirectionResult along(const Probe::Direction& v) {
    const Estimate residual = probe_.residual(v);
    return {probe_.claimed(v) + residual.value, residual.value, residual.error, probe_.allowance(v)};
  }

  /// Checks one coordinate at a time, which names the wrong elements. If the claim is NaN, f gives the true value.
  void measure_coordinates() {
    const std::size_t count = std::min(x_.size(), options_.coordinates);
    for (std::size_t i = 0; i < count; ++i) {
      Probe::Direction v(x_.size());
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
    const DirectionResult& d = coordinates_[i];
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
    for (const DirectionResult& d : directions_) squares += d.derivative * d.derivative;
    return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(directions_.size(), 1)));
  }

  void settle(GradcheckRecord& record) {
    const auto wrong =
        std::count_if(directions_.begin(), directions_.end(), [](const auto& d) { return d.is_wrong(); });
    const double size = typical();
    const auto undecided = std::count_if(directions_.begin(), directions_.end(),
                                         [&](const DirectionResult& d) { return !(d.error <= size / 10); });
    if (wrong > 0 || record.wrong > 0) {
      record.verdict = Verdict::fail;
      record.wrong_cases = 1;
      record.explanation =
          fmt::format("the gradient is wrong along {} of {} random directions", wrong, directions_.size());
    } else if (probe_.is_constant()) {
      mistrust(record, constant_function);
    } else if (2 * undecided > std::ssize(directions_)) {
      mistrust(record,
               fmt::format("cannot decide: in {} of {} random directions the error of the differences is above a "
                           "tenth of the derivatives, about {:.3g}; {}",
                           undecided, directions_.size(), size, what_to_do));
    } else if (const auto hidden = hidden_elements(); 2 * hidden > std::ssize(coordinates_)) {
      mistrust(record, fmt::format("cannot decide: {} of {} elements are too small beside the noise of f; {}", hidden,
                                   coordinates_.size(), what_to_do));
    } else {
      record.verdict = Verdict::pass;
    }
    note_sensitivity(record);
  }

  /// How many elements have bounds above a tenth of the root mean square element, so that next to any gradient would pass
  /// there. An element of 0 beside others is known.
  std::ptrdiff_t hidden_elements() const {
    double squares = 0;
    for (const DirectionResult& d : coordinates_) squares += d.derivative * d.derivative;
    const double typical = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(coordinates_.size(), 1)));
    return std::ranges::count_if(coordinates_, [&](const DirectionResult& d) {
      return !(d.bound() <= std::max(typical, std::abs(d.derivative)) / 10);
    });
  }

  /// Adds notes on the errors that a pass does not exclude.
  void note_sensitivity(GradcheckRecord& record) const {
    if (record.verdict != Verdict::pass || coordinates_.empty()) return;
    double least = infinity, most = 0;
    std::size_t hidden = 0;
    for (const DirectionResult& d : coordinates_) {
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
  std::vector<DirectionResult> directions_, coordinates_;
  GradientArray array_;
};

}  // namespace

GradcheckRecord check_black_box(const Probe::Function& f, std::span<const double> x, std::span<const double> gradient,
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
