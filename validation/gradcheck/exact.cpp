#include "validation/gradcheck/exact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "validation/core/number.h"
#include "validation/core/random.h"
#include "validation/gradcheck/arguments.h"
#include "validation/gradcheck/judge.h"
#include "validation/gradcheck/mistrust.h"

namespace assay::validation {
namespace {

using ExactPoint = std::vector<BigFloat>;

/// Thrown if f does not determine the gradient reliably; the text is the reason.
class Undecided : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

BigFloat power_of_ten(int exponent) {
  return BigFloat(fmt::format("1e{}", exponent));
}

/// f around one point, along one coordinate.
struct Slopes {
  BigFloat central, finer;  ///< with steps h and h / 1000
  BigFloat left, right;     ///< with h / 1000
  double jump = 0, finer_jump = 0;
  bool constant = false;  ///< f has the same value at all five points
};

/// The difference quotients of f at x.
class Differences {
 public:
  Differences(const ExactFunction& f, std::span<const double> x, int digits) : f_(f), digits_(digits) {
    double largest = 0;
    for (const double value : x) {
      x_.emplace_back(value);
      largest = std::max(largest, std::abs(value));
    }
    for (const double value : x) scale_.push_back(value != 0 ? std::abs(value) : largest > 0 ? largest : 1);
    at_x_ = value(x_);
  }

  const ExactPoint& x() const { return x_; }
  std::size_t size() const { return x_.size(); }
  BigFloat step() const { return power_of_ten(-digits_ / 3); }

  BigFloat value(const ExactPoint& at) const {
    BigFloat result = f_(at);
    if (!is_finite(result)) throw Undecided(fmt::format("f is {} at or beside x", to_decimal(result, 5)));
    return result;
  }

  BigFloat moved(ExactPoint at, std::size_t i, const BigFloat& by) const {
    at[i] += by * BigFloat(scale_[i]);
    return value(at);
  }

  /// (f(x + h) - f(x - h)) / 2 h at `at`.
  BigFloat central(const ExactPoint& at, std::size_t i, const BigFloat& h) const {
    return (moved(at, i, h) - moved(at, i, -h)) / (BigFloat(2) * h * BigFloat(scale_[i]));
  }

  Slopes slopes(std::size_t i) const {
    const BigFloat h = step(), fine = h / BigFloat(1000);
    const BigFloat plus = moved(x_, i, h), minus = moved(x_, i, -h);
    const BigFloat near_plus = moved(x_, i, fine), near_minus = moved(x_, i, -fine);
    const BigFloat coarse = h * BigFloat(scale_[i]), small = fine * BigFloat(scale_[i]);
    Slopes s;
    s.central = (plus - minus) / (BigFloat(2) * coarse);
    s.finer = (near_plus - near_minus) / (BigFloat(2) * small);
    s.right = (near_plus - at_x_) / small;
    s.left = (at_x_ - near_minus) / small;
    s.finer_jump = absolute_difference(s.right, s.left);
    s.jump = absolute_difference((plus - at_x_) / coarse, (at_x_ - minus) / coarse);
    s.constant = plus == at_x_ && minus == at_x_ && near_plus == at_x_ && near_minus == at_x_;
    return s;
  }

  /// A generous error estimate for difference quotients along i: half of the digits of |f| / |x_i| and of `slope`.
  double resolution(std::size_t i, const BigFloat& slope) const {
    return std::pow(10.0, -digits_ / 4) * (std::abs(to_double(at_x_)) / scale_[i] + std::abs(to_double(slope)));
  }

  /// A kink: the slopes from both sides differ, and they differ as much with the smaller step.
  bool is_kink(std::size_t i, const Slopes& s) const {
    return s.finer_jump > s.jump / 10 && s.finer_jump > resolution(i, s.finer);
  }

 private:
  const ExactFunction& f_;
  int digits_;
  ExactPoint x_;
  std::vector<double> scale_;
  BigFloat at_x_;
};

/// The check of one gradient: expected values, bounds, kinks, verdict.
class ExactCheck {
 public:
  ExactCheck(const ExactFunction& f, std::span<const double> x, std::span<const double> gradient,
             const ExactOptions& options, const DualGradient* dual)
      : options_(options),
        dual_(dual),
        differences_(f, x, options.digits),
        judged_{gradient_array(options.shape, x.size()), {}, options.dtype, {}} {
    judged_.got.assign(gradient.begin(), gradient.end());
  }

  void run(GradcheckRecord& record) {
    for (std::size_t i = 0; i < differences_.size(); ++i) add_expected(i);
    set_bounds();
    for (std::size_t i = 0; i < differences_.size(); ++i) hold_to_dual(i);
    settle_kinks(record);
    judged_.judge();
    conclude(record);
  }

 private:
  double roundoff() const { return format_of(options_.dtype).roundoff; }

  void add_expected(std::size_t i) {
    const Slopes s = differences_.slopes(i);
    slopes_.push_back(s);
    kink_.push_back(differences_.is_kink(i, s));
    if (!kink_[i]) require_steady(i, s);
    judged_.exact.push_back(s.finer);
  }

  void require_steady(std::size_t i, const Slopes& s) const {
    const BigFloat probe = s.constant ? differences_.moved(differences_.x(), i, BigFloat(0x1p-20)) : BigFloat(0);
    if (s.constant && probe != differences_.value(differences_.x()))
      throw Undecided(
          fmt::format("x[{}]: f does not see a step of {} |x|, though it does see one of 1e-6: it rounds "
                      "inside, as to float64; use numbers of the type that it is given throughout",
                      i, to_decimal(differences_.step(), 2)));
    if (absolute_difference(s.central, s.finer) <= differences_.resolution(i, s.finer)) return;
    throw Undecided(
        fmt::format("x[{}]: difference quotients of two steps are {} and {}: f rounds inside, or has no "
                    "derivative there, or needs more digits than {}",
                    i, to_decimal(s.central, 12), to_decimal(s.finer, 12), options_.digits));
  }

  void set_bounds() {
    const double u = roundoff(), smallest = format_of(options_.dtype).smallest / 2;
    double largest = 0;
    for (const BigFloat& g : judged_.exact) largest = std::max(largest, std::abs(to_double(g)));
    const bool given = options_.tolerance > 0;
    const std::vector<double> condition = given || dual_ != nullptr ? std::vector<double>() : conditions();
    for (std::size_t i = 0; i < differences_.size(); ++i) {
      const double size = std::abs(to_double(judged_.exact[i]));
      double bound = options_.tolerance * u * size;
      if (!given)
        bound = dual_ != nullptr ? u * (4 * dual_->error[i] + size) : u * (4 * (condition[i] + size) + largest);
      judged_.bound.push_back(bound + smallest);
    }
  }

  /// An estimate of sum_j |d2f / dx_i dx_j| |x_j|: sqrt(n) times the root mean square change of the gradient when every
  /// x_j changes by a small share of itself with a random sign.
  std::vector<double> conditions() const {
    constexpr int samples = 4;
    Random random(options_.seed);
    const BigFloat eta = power_of_ten(-options_.digits / 5);
    std::vector<double> squares(differences_.size());
    for (int sample = 0; sample < samples; ++sample) {
      ExactPoint at = differences_.x();
      for (BigFloat& value : at) value += value * (random.chance(0.5) ? eta : -eta);
      for (std::size_t i = 0; i < at.size(); ++i) {
        const BigFloat moved = (differences_.central(at, i, differences_.step()) - judged_.exact[i]) / eta;
        squares[i] += to_double(moved) * to_double(moved) / samples;
      }
    }
    for (double& square : squares) square = std::sqrt(square * static_cast<double>(squares.size()));
    return squares;
  }

  void hold_to_dual(std::size_t i) const {
    if (dual_ == nullptr || kink_[i]) return;
    const double apart = absolute_difference(dual_->derivative[i], judged_.exact[i]);
    if (apart <= differences_.resolution(i, judged_.exact[i])) return;
    throw Undecided(
        fmt::format("x[{}]: the derivative by dual numbers is {}, by central differences {}: f is not the "
                    "same function for both, rounds inside, or needs more digits than {}",
                    i, to_decimal(dual_->derivative[i], 12), to_decimal(judged_.exact[i], 12), options_.digits));
  }

  /// Accepts any value between the one-sided derivatives at a kink. Compares other values with the nearer derivative.
  void settle_kinks(GradcheckRecord& record) {
    for (std::size_t i = 0; i < differences_.size(); ++i) {
      if (!kink_[i]) continue;
      const BigFloat low = std::min(slopes_[i].left, slopes_[i].right),
                     high = std::max(slopes_[i].left, slopes_[i].right);
      const BigFloat got(judged_.got[i]), slack(judged_.bound[i]);
      const bool between = low - slack <= got && got <= high + slack;
      judged_.exact[i] = between ? got : got < low ? low : high;
      record.notes.push_back(
          fmt::format("{}: f is not differentiable there: {} from the left, {} from the right; got {}{}",
                      judged_.place(i), to_decimal(slopes_[i].left, 9), to_decimal(slopes_[i].right, 9), judged_.got[i],
                      between ? ", between them, is not judged" : ""));
      undecided_ = undecided_ || between;
    }
  }

  void conclude(GradcheckRecord& record) {
    record.cases = 1;
    record.elements = static_cast<std::int64_t>(judged_.size());
    record.wrong = std::count(judged_.wrong.begin(), judged_.wrong.end(), true);
    record.wrong_cases = record.wrong > 0 ? 1 : 0;
    for (std::size_t i = 0; i < judged_.size(); ++i)
      if (!(judged_.share(i) <= record.worst.share)) record.worst.take(judged_.share(i), judged_.place(i));
    for (const Pattern& pattern : patterns_of(judged_, {})) record.patterns.push_back(pattern.sentence);
    record.worst_elements = worst_elements({judged_}, options_.worst);
    record.verdict = record.wrong > 0 ? Verdict::fail : undecided_ ? Verdict::mistrusted : Verdict::pass;
    const bool is_constant = std::ranges::all_of(slopes_, &Slopes::constant);
    if (record.verdict == Verdict::pass && is_constant) mistrust(record, constant_function);
  }

  const ExactOptions& options_;
  const DualGradient* dual_;
  Differences differences_;
  JudgedGradient judged_;
  std::vector<Slopes> slopes_;
  std::vector<bool> kink_;
  bool undecided_ = false;
};

GradcheckRecord check(const ExactFunction& f, std::span<const double> x, std::span<const double> gradient,
                      const ExactOptions& options, const DualGradient* dual) {
  require_matching(x, gradient, options.shape);
  const reference::PrecisionScope scope(options.digits);
  GradcheckRecord record;
  record.subject = options.subject;
  try {
    ExactCheck(f, x, gradient, options, dual).run(record);
  } catch (const Undecided& reason) {
    record.verdict = Verdict::mistrusted;
    record.explanation = reason.what();
  } catch (const std::exception& error) {
    record.verdict = Verdict::error;
    record.explanation = fmt::format("the function threw: {}", error.what());
  }
  return record;
}

}  // namespace

GradcheckRecord check_exact(const ExactFunction& f, std::span<const double> x, std::span<const double> gradient,
                            const ExactOptions& options) {
  return check(f, x, gradient, options, nullptr);
}

GradcheckRecord check_exact(const ExactFunction& f, std::span<const double> x, std::span<const double> gradient,
                            const ExactOptions& options, const DualGradient& dual) {
  return check(f, x, gradient, options, &dual);
}

}  // namespace assay::validation
