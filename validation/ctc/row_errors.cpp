#include "validation/ctc/row_errors.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "validation/core/infinity.h"
#include "validation/core/sums.h"
#include "validation/ctc/recursion_errors.h"

namespace assay::validation {
namespace {

class Analysis {
 public:
  Analysis(const RowLattice& lattice, const CtcKernelInfo& kernel, double deviations)
      : lattice_(lattice),
        recursion_(lattice, kernel),
        u_(kernel.unit_roundoff),
        in_log_space_(kernel.arithmetic == Arithmetic::log_space),
        deviations_(deviations),
        T_(lattice.log_y.rows()) {}

  RowErrors run() {
    clear();
    RowFrame last;
    for (std::int64_t t = 0; t < T_; ++t) alpha_.push_back(recursion_.alpha(t, t > 0 ? alpha_.back() : last));
    p_ = recursion_.p_of_alpha(T_ > 0 ? alpha_.back() : last);
    found_.loss = -p_.log;
    if (p_.log == log_zero) return std::move(found_);
    backward();
    if (deviations_ > 0) walk();
    finish();
    return std::move(found_);
  }

 private:
  double gamma(double operations) const { return validation::gamma(operations, u_); }
  std::int64_t slot(std::int64_t s) const { return lattice_.slots[static_cast<std::size_t>(s)]; }
  const RowFrame& alpha(std::int64_t t) const { return alpha_[static_cast<std::size_t>(t)]; }

  void clear() {
    const auto frames = static_cast<std::size_t>(T_);
    found_.posterior = found_.posterior_error = reference::Matrix<double>(T_, lattice_.log_y.cols());
    found_.frame_error.assign(frames, 0);
    steps_.assign(frames, 0);
    terms_.assign(frames, 0);
  }

  void backward() {
    RowFrame after;
    for (std::int64_t t = T_ - 1; t >= 0; --t) {
      RowFrame beta = recursion_.beta(t, after, t + 1 < T_ ? alpha(t + 1) : after);
      meet(t, beta);
      after = std::move(beta);
    }
    p_.growth = std::max(p_.growth, recursion_.p_of_beta(after).growth);
  }

  /// The posteriors of a frame, and their errors but for those of p.
  void meet(std::int64_t t, const RowFrame& beta) {
    logs_.clear();
    posteriors_.clear();
    for (std::int64_t s = beta.first; s < beta.end(); ++s) {
      logs_.push_back(alpha(t).at(s).log + beta.at(s).log - lattice_.log_y(t, slot(s)) - p_.log);
      posteriors_.push_back(std::isnan(logs_.back()) ? 0 : std::exp(logs_.back()));  // NaN: the emission is 0
      terms_[static_cast<std::size_t>(t)] += std::min(1.0, posteriors_.back() / u_);
      found_.posterior(t, slot(s)) += posteriors_.back();
    }
    for (std::int64_t s = beta.first; s < beta.end(); ++s) {
      const RowState &a = alpha(t).at(s), &b = beta.at(s);
      if (a.log == log_zero || b.log == log_zero) continue;
      double& step = steps_[static_cast<std::size_t>(t)];
      step = std::max({step, a.local, b.local});
      const auto i = static_cast<std::size_t>(s - beta.first);
      found_.posterior_error(t, slot(s)) += weighted(posteriors_[i], growth_of_product(t, s, a, b, logs_[i]));
    }
    gather(t, beta.first);
  }

  /// The growth of alpha beta / (y p) without that of p. In log space ln alpha + ln beta - ln y - ln p is rounded too,
  /// in any order, and so is the exponential of it.
  double growth_of_product(std::int64_t t, std::int64_t s, const RowState& a, const RowState& b, double log) const {
    const double factors = std::min(compounded(a.growth, std::max(b.excluded, b.rest)), most_);
    const double terms = terms_[static_cast<std::size_t>(t)];
    if (!in_log_space_) return compounded(factors, growth_of(gamma(terms + 2)));
    const double logs = std::abs(a.log) + std::abs(b.log) + std::abs(lattice_.log_y(t, slot(s))) + std::abs(p_.log);
    const double size = logs + 4 * std::abs(log) + 3 * error_of(factors);
    return compounded(factors, growth_of(u_ * size + gamma(terms + 8)));
  }

  /// The sums over the states of a class: of exponentials, or as log-sum-exps of ln alpha + ln beta.
  void gather(std::int64_t t, std::int64_t first) {
    std::vector<double> terms(static_cast<std::size_t>(found_.posterior.cols()));
    for (std::int64_t i = 0; i < std::ssize(posteriors_); ++i) {
      const std::int64_t k = slot(first + i);
      const double sum = u_ * found_.posterior(t, k);
      if (sum > 0) terms[static_cast<std::size_t>(k)] += std::min(1.0, posteriors_[static_cast<std::size_t>(i)] / sum);
    }
    for (std::int64_t k = 0; k < found_.posterior.cols(); ++k)
      if (const double additions = terms[static_cast<std::size_t>(k)] - 1; additions > 0) add_up(t, k, additions);
  }

  void add_up(std::int64_t t, std::int64_t k, double additions) {
    const double posterior = found_.posterior(t, k);
    const double size = in_log_space_ ? std::abs(std::log(posterior) + p_.log + lattice_.log_y(t, k)) : 0;
    const double roundings = u_ * additions * size + gamma((in_log_space_ ? 4 : 1) * additions);
    double& error = found_.posterior_error(t, k);
    error += weighted(posterior + error, growth_of(roundings));
  }

  /// Where the errors of the frames add up to less as a random walk, the errors of alpha, beta and p are at most that.
  void walk() {
    double squares = 0, largest = 0;
    for (const double step : steps_) {
      squares += step * step;
      largest = std::max(largest, step);
    }
    if (!(largest < 0.5)) return;
    const double longest = deviations_ * std::sqrt(squares) + 2 * squares;
    const double growth = std::min(p_.growth, growth_of(longest));
    most_ = growth_of(std::numbers::sqrt2 * longest + largest);
    clear();
    backward();
    p_.growth = growth;
  }

  /// Divides by p: the p of alpha, of beta or of the frame, which in log space is a log-sum-exp too.
  void finish() {
    found_.log_p_error = std::log1p(p_.growth);
    for (std::int64_t t = 0; t < T_; ++t) {
      double frame = 0;
      for (std::int64_t k = 0; k < found_.posterior.cols(); ++k) frame += found_.posterior_error(t, k);
      if (in_log_space_)
        frame = compounded(frame, growth_of(u_ * terms_[static_cast<std::size_t>(t)] * std::abs(p_.log)));
      const double p = std::max(p_.growth, frame);
      for (std::int64_t k = 0; k < found_.posterior.cols(); ++k) {
        double& error = found_.posterior_error(t, k);
        if (found_.posterior(t, k) > 0 || error > 0) error += weighted(found_.posterior(t, k) + error, p);
        found_.frame_error[static_cast<std::size_t>(t)] += error;
      }
    }
  }

  const RowLattice& lattice_;
  RecursionErrors recursion_;
  double u_;
  bool in_log_space_;
  double deviations_;
  std::int64_t T_;
  std::vector<RowFrame> alpha_;
  std::vector<double> logs_, posteriors_;  ///< of the states of one frame
  RowState p_;
  double most_ = infinity;     ///< the growth of alpha beta is less
  std::vector<double> steps_;  ///< [T]: the largest part of each frame
  std::vector<double> terms_;  ///< [T]: the additions that count in a sum over the frame's states
  RowErrors found_;
};

}  // namespace

RowErrors row_errors(const RowLattice& lattice, const CtcKernelInfo& kernel, double deviations) {
  return Analysis(lattice, kernel, deviations).run();
}

}  // namespace assay::validation
