#include "validation/ctc/row_errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "reference/ctc/labels.h"
#include "validation/core/sums.h"

namespace assay::validation {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double log_zero = -infinity;

// A growth is F - 1, where F bounds the factor by which rounding changes a number.

/// At most the growth of a number whose logarithm has this error.
double growth_of(double error) {
  return error < 0x1p-10 ? error + error * error : std::expm1(error);
}

/// At least the error of the logarithm.
double error_of(double growth) {
  return growth < 0x1p-10 ? growth : std::log1p(growth);
}

double both(double a, double b) {
  return std::isinf(a) || std::isinf(b) ? infinity : a + b + a * b;
}

/// A share may underflow to 0. A growth is infinite only where nothing is claimed.
double weighted(double share, double growth) {
  return share > 0 ? share * growth : (growth < infinity ? 0 : infinity);
}

/// A state of a sweep over the frames: ln of the sum over the paths on one side of it, with the emission of its frame.
struct State {
  double log = log_zero;
  double growth = 0;    ///< of the sum
  double local = 0;     ///< delta: the part of the error that the operations of the frame itself add
  double excluded = 0;  ///< the growth without the error of the emission, which posteriors divide out
  double rest = 0;      ///< as `excluded`, where the rest of a path comes by differentiating alpha's recursion
};

/// The states of one frame that are reached and left in time.
struct Frame {
  std::int64_t first = 0;
  double largest = 0;  ///< of the logarithms
  std::vector<State> states;

  const State& at(std::int64_t s) const {
    static const State none;
    const std::int64_t i = s - first;
    return i < 0 || i >= std::ssize(states) ? none : states[static_cast<std::size_t>(i)];
  }
};

/// ln of a sum of at most three exponentials.
struct LogSum {
  double log = log_zero;
  std::array<double, 3> shares = {};
  int terms = 0;
  double smallest = 1;  ///< share

  double mean(const std::array<double, 3>& growths) const {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += weighted(shares[i], growths[i]);
    return sum;
  }
};

LogSum log_sum_of(const std::array<double, 3>& logs) {
  const double largest = std::max({logs[0], logs[1], logs[2]});
  LogSum found;
  if (largest == log_zero) return found;
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    found.shares[i] = logs[i] == largest ? 1 : logs[i] == log_zero ? 0 : std::exp(logs[i] - largest);
    found.terms += logs[i] == log_zero ? 0 : 1;
    sum += found.shares[i];
  }
  for (std::size_t i = 0; i < 3; ++i) {
    found.shares[i] /= sum;
    if (logs[i] != log_zero) found.smallest = std::min(found.smallest, found.shares[i]);
  }
  found.log = largest + std::log(sum);
  return found;
}

/// The sum that a path begins with.
constexpr LogSum empty_path = {.log = 0, .shares = {}, .terms = 1};

class Analysis {
 public:
  Analysis(const RowLattice& lattice, const CtcKernelInfo& kernel, double deviations)
      : lattice_(lattice),
        u_(kernel.unit_roundoff),
        in_log_space_(kernel.arithmetic == Arithmetic::log_space),
        deviations_(deviations),
        T_(lattice.log_y.rows()),
        L_(std::ssize(lattice.states)) {}

  RowErrors run() {
    forward();
    found_.loss = -log_p_;
    found_.posterior = found_.posterior_error = reference::Matrix<double>(T_, lattice_.log_y.cols());
    found_.frame_error.assign(static_cast<std::size_t>(T_), 0);
    if (log_p_ == log_zero) return std::move(found_);
    backward();
    if (deviations_ > 0) walk();
    finish();
    return std::move(found_);
  }

 private:
  double gamma(double operations) const { return validation::gamma(operations, u_); }
  std::int64_t slot(std::int64_t s) const { return lattice_.slots[static_cast<std::size_t>(s)]; }
  double log_y(std::int64_t t, std::int64_t s) const { return lattice_.log_y(t, slot(s)); }

  /// delta: what the frame rounds on the way from the sum over its neighbours' states to the state's logarithm.
  double local(std::int64_t t, std::int64_t s, const LogSum& sum, double log, double mean, double largest) const {
    const double emission = lattice_.log_y_error(t, slot(s));
    if (!in_log_space_) return emission + gamma(4);
    const double nested = sum.terms == 3 ? 1 - sum.smallest : 0;
    const double of_sum = sum.terms > 1 ? (1 + nested) * std::abs(sum.log) : 0;
    const double size = of_sum + std::abs(log) + std::max(0.0, largest - sum.log);
    return emission + u_ * (size + 3 * error_of(mean)) + gamma(8);
  }

  State next(std::int64_t t, std::int64_t s, const LogSum& sum, double mean, double largest) const {
    State state{.log = sum.log + log_y(t, s)};
    if (state.log == log_zero) return state;
    state.local = local(t, s, sum, state.log, mean, largest);
    state.growth = both(mean, growth_of(state.local));
    state.excluded = both(mean, growth_of(state.local - lattice_.log_y_error(t, slot(s))));
    return state;
  }

  void forward() {
    for (std::int64_t t = 0; t < T_; ++t) {
      const auto [first, end] = reference::live_states(t, T_, L_);
      Frame frame{first, log_zero, {}};
      for (std::int64_t s = first; s < end; ++s) {
        frame.states.push_back(alpha(t, s));
        frame.largest = std::max(frame.largest, frame.states.back().log);
      }
      alpha_.push_back(std::move(frame));
    }
    const LogSum total = T_ > 0 ? log_sum_of({alpha_.back().at(L_ - 1).log, alpha_.back().at(L_ - 2).log, log_zero})
                                : (L_ == 1 ? empty_path : LogSum{});
    log_p_ = total.log;
    if (T_ > 0) p_growth_ = total.mean({alpha_.back().at(L_ - 1).growth, alpha_.back().at(L_ - 2).growth, 0});
  }

  State alpha(std::int64_t t, std::int64_t s) const {
    if (t == 0) return next(t, s, s < 2 ? empty_path : LogSum{}, 0, 0);
    const Frame& before = alpha_.back();
    const State none;
    const bool skips = reference::may_skip_to(lattice_.states, s);
    const State &stay = before.at(s), &step = before.at(s - 1), &skip = skips ? before.at(s - 2) : none;
    const LogSum sum = log_sum_of({stay.log, step.log, skip.log});
    return next(t, s, sum, sum.mean({stay.growth, step.growth, skip.growth}), before.largest);
  }

  /// beta with the emission of its frame.
  State beta(std::int64_t t, std::int64_t s, const Frame& after) const {
    if (t + 1 == T_) return next(t, s, s >= L_ - 2 ? empty_path : LogSum{}, 0, 0);
    const State none;
    const bool skips = s + 2 < L_ && reference::may_skip_to(lattice_.states, s + 2);
    const std::array<const State*, 3> following = {&after.at(s), &after.at(s + 1), skips ? &after.at(s + 2) : &none};
    const LogSum sum = log_sum_of({following[0]->log, following[1]->log, following[2]->log});
    std::array<double, 3> growths = {}, rests = {};
    for (std::int64_t i = 0; i < 3; ++i) {
      const State& state = *following[static_cast<std::size_t>(i)];
      growths[static_cast<std::size_t>(i)] = state.growth;
      const double local = alpha_[static_cast<std::size_t>(t + 1)].at(s + i).local;
      rests[static_cast<std::size_t>(i)] = both(state.rest, growth_of(local));
    }
    State state = next(t, s, sum, sum.mean(growths), after.largest);
    state.rest = sum.mean(rests);
    return state;
  }

  void backward() {
    Frame after;
    steps_.assign(static_cast<std::size_t>(T_), 0);
    for (std::int64_t t = T_ - 1; t >= 0; --t) {
      const Frame& alphas = alpha_[static_cast<std::size_t>(t)];
      Frame frame{alphas.first, log_zero, {}};
      for (std::int64_t i = 0; i < std::ssize(alphas.states); ++i) {
        frame.states.push_back(beta(t, alphas.first + i, after));
        frame.largest = std::max(frame.largest, frame.states.back().log);
      }
      meet(t, alphas, frame);
      after = std::move(frame);
    }
    if (T_ == 0) return;
    const LogSum total = log_sum_of({after.at(0).log, after.at(1).log, log_zero});
    p_growth_ = std::max(p_growth_, total.mean({after.at(0).growth, after.at(1).growth, 0}));
  }

  /// The posteriors of a frame, and their errors but for those of p.
  void meet(std::int64_t t, const Frame& alphas, const Frame& betas) {
    std::vector<double> posteriors;
    double terms = 0;  // that count in a sum over the frame
    for (std::int64_t i = 0; i < std::ssize(alphas.states); ++i) {
      const std::int64_t s = alphas.first + i;
      const double log = alphas.at(s).log + betas.at(s).log - log_y(t, s) - log_p_;
      posteriors.push_back(std::isnan(log) ? 0 : std::exp(log));  // NaN: the emission is 0
      terms += std::min(1.0, posteriors.back() / u_);
      found_.posterior(t, slot(s)) += posteriors.back();
    }
    for (std::int64_t i = 0; i < std::ssize(alphas.states); ++i) {
      const std::int64_t s = alphas.first + i;
      const State &a = alphas.at(s), &b = betas.at(s);
      if (a.log == log_zero || b.log == log_zero) continue;
      double& step = steps_[static_cast<std::size_t>(t)];
      step = std::max({step, a.local, b.local});
      const double sums = std::min(both(a.growth, std::max(b.excluded, b.rest)), most_);
      const double growth = both(sums, growth_of(exponent(t, s, a.log, b.log) + gamma(terms + (in_log_space_ ? 8 : 2))));
      found_.posterior_error(t, slot(s)) += weighted(posteriors[static_cast<std::size_t>(i)], growth);
    }
    gather(t, alphas, posteriors);
  }

  /// The roundings of ln alpha + ln beta - ln y - ln p, in any order, and of an exponential of that size.
  double exponent(std::int64_t t, std::int64_t s, double alpha, double beta) const {
    if (!in_log_space_) return 0;
    const double y = log_y(t, s), log = alpha + beta - y - log_p_;
    return u_ * (std::abs(alpha) + std::abs(beta) + std::abs(y) + std::abs(log_p_) + 4 * std::abs(log));
  }

  /// The sums over the states of a class: of exponentials, or as log-sum-exps of ln alpha + ln beta.
  void gather(std::int64_t t, const Frame& alphas, const std::vector<double>& posteriors) {
    std::vector<double> terms(static_cast<std::size_t>(found_.posterior.cols()));
    for (std::int64_t i = 0; i < std::ssize(alphas.states); ++i) {
      const std::int64_t k = slot(alphas.first + i);
      const double sum = u_ * found_.posterior(t, k);
      if (sum > 0) terms[static_cast<std::size_t>(k)] += std::min(1.0, posteriors[static_cast<std::size_t>(i)] / sum);
    }
    for (std::int64_t k = 0; k < found_.posterior.cols(); ++k) {
      const double posterior = found_.posterior(t, k), more = terms[static_cast<std::size_t>(k)] - 1;
      if (!(posterior > 0 && more > 0)) continue;
      const double size = in_log_space_ ? std::abs(std::log(posterior) + log_p_ + lattice_.log_y(t, k)) : 0;
      double& error = found_.posterior_error(t, k);
      error += weighted(posterior + error, growth_of(u_ * more * size + gamma((in_log_space_ ? 4 : 1) * more)));
    }
  }

  /// Where the errors of the frames add up to less as a random walk, the errors of alpha, beta and p are at most that.
  void walk() {
    double squares = 0, largest = 0;
    for (const double step : steps_) {
      squares += step * step;
      largest = std::max(largest, step);
    }
    if (largest >= 0.5) return;
    const double longest = deviations_ * std::sqrt(squares) + 2 * squares;
    p_growth_ = std::min(p_growth_, growth_of(longest));
    most_ = growth_of(std::numbers::sqrt2 * longest + largest);
    found_.posterior = found_.posterior_error = reference::Matrix<double>(T_, lattice_.log_y.cols());
    const double growth = p_growth_;
    backward();
    p_growth_ = growth;
  }

  /// Divides by p: the p of alpha, of beta or of the frame.
  void finish() {
    found_.log_p_error = std::log1p(p_growth_);
    for (std::int64_t t = 0; t < T_; ++t) {
      double sum = 0;
      for (std::int64_t k = 0; k < found_.posterior.cols(); ++k) sum += found_.posterior_error(t, k);
      const double p = std::max(p_growth_, sum);
      for (std::int64_t k = 0; k < found_.posterior.cols(); ++k) {
        double& error = found_.posterior_error(t, k);
        if (found_.posterior(t, k) > 0 || error > 0) error += weighted(found_.posterior(t, k) + error, p);
        found_.frame_error[static_cast<std::size_t>(t)] += error;
      }
    }
  }

  const RowLattice& lattice_;
  double u_;
  bool in_log_space_;
  double deviations_;
  std::int64_t T_, L_;
  std::vector<Frame> alpha_;
  double log_p_ = log_zero;
  double p_growth_ = 0;
  double most_ = infinity;     ///< the growth of alpha beta is less
  std::vector<double> steps_;  ///< [T]: the largest part of each frame
  RowErrors found_;
};

}  // namespace

RowErrors row_errors(const RowLattice& lattice, const CtcKernelInfo& kernel, double deviations) {
  return Analysis(lattice, kernel, deviations).run();
}

}  // namespace assay::validation
