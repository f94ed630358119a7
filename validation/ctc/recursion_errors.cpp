#include "validation/ctc/recursion_errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "reference/ctc/labels.h"
#include "validation/core/sums.h"

namespace assay::validation {
namespace {

/// The sum that a path begins with, or ends with: 1.
constexpr LogSum edge = {.log = 0, .shares = {}, .terms = 1};

RowLattice reversed(RowLattice row) {
  std::ranges::reverse(row.states);
  std::ranges::reverse(row.slots);
  for (std::int64_t t = 0; 2 * t + 1 < row.log_y.rows(); ++t)  // a frame in the middle stays
    std::ranges::swap_ranges(row.log_y.row(t), row.log_y.row(row.log_y.rows() - 1 - t));
  return row;
}

/// ln of the largest sum_i alpha_t-1(i) of each frame. With products of numbers whose range is limited: a sum that has
/// once been smaller by 300 digits than another of its frame is lost.
std::vector<double> largest_sums(const RowLattice& row) {
  const std::int64_t T = row.log_y.rows(), L = std::ssize(row.states);
  std::vector<double> found(static_cast<std::size_t>(T), log_zero), skips(static_cast<std::size_t>(L));
  for (std::int64_t s = 0; s < L; ++s) skips[static_cast<std::size_t>(s)] = reference::may_skip_to(row.states, s);
  std::vector<double> before(static_cast<std::size_t>(L) + 2), now = before, y;  // state s at s + 2
  before[2] = 1;
  double scale = 0;
  for (std::int64_t t = 0; t < T; ++t) {
    y.clear();
    for (const double log : row.log_y.row(t)) y.push_back(std::exp(log));
    double largest = 0;
    for (std::size_t s = 0; s < static_cast<std::size_t>(std::min(L, 2 * t + 2)); ++s) {
      const double sum = before[s + 2] + before[s + 1] + skips[s] * before[s];
      largest = std::max(largest, sum);
      now[s + 2] = sum * y[static_cast<std::size_t>(row.slots[s])];
    }
    if (largest == 0) break;
    scale += std::log(largest);
    found[static_cast<std::size_t>(t)] = scale;
    const double inverse = 1 / largest;
    for (double& value : now) value *= inverse;
    std::swap(before, now);
  }
  return found;
}

}  // namespace

const RowState& RowFrame::at(std::int64_t s) const {
  static const RowState none;
  return s < first || s >= end() ? none : states[static_cast<std::size_t>(s - first)];
}

RecursionErrors::RecursionErrors(const RowLattice& lattice, const CtcKernelInfo& kernel)
    : lattice_(lattice),
      u_(kernel.unit_roundoff),
      in_log_space_(kernel.arithmetic == Arithmetic::log_space),
      T_(lattice.log_y.rows()),
      L_(std::ssize(lattice.states)) {
  if (!in_log_space_) return;
  alpha_largest_ = largest_sums(lattice);
  beta_largest_ = largest_sums(reversed(lattice));
  std::ranges::reverse(beta_largest_);
}

double RecursionErrors::log_y(std::int64_t t, std::int64_t s) const {
  return lattice_.log_y(t, lattice_.slots[static_cast<std::size_t>(s)]);
}

double RecursionErrors::log_y_error(std::int64_t t, std::int64_t s) const {
  return lattice_.log_y_error(t, lattice_.slots[static_cast<std::size_t>(s)]);
}

/// What the frame rounds on the way from the sum over the neighbouring frame's states to the state's logarithm. Kernels
/// may subtract the largest logarithm of each frame: they round distances from it, and add it up.
double RecursionErrors::local(std::int64_t t, std::int64_t s, const LogSum& sum, double growth, double largest) const {
  if (!in_log_space_) return log_y_error(t, s) + validation::gamma(4, u_);
  const double log = sum.log + log_y(t, s);
  const double sums = sum.terms == 3 ? 2 - sum.smallest : 1;
  const double plain = sums * std::abs(sum.log);
  const double shifted = sums * std::abs(largest - sum.log) + std::abs(largest - log);
  const double size = std::abs(log) + std::max(plain, shifted);
  return log_y_error(t, s) + u_ * (size + 3 * error_of(growth)) + validation::gamma(12, u_);
}

RowState RecursionErrors::next(std::int64_t t, std::int64_t s, const LogSum& sum, double growth, double largest) const {
  RowState state{.log = sum.log + log_y(t, s)};
  if (state.log == log_zero) return state;
  state.local = local(t, s, sum, growth, largest);
  state.growth = compounded(growth, growth_of(state.local));
  state.excluded = compounded(growth, growth_of(state.local - log_y_error(t, s)));
  return state;
}

RowState RecursionErrors::alpha_at(std::int64_t t, std::int64_t s, const RowFrame& before) const {
  if (t == 0) return next(t, s, s < 2 ? edge : LogSum{}, 0, 0);
  const RowState none;
  const bool skips = reference::may_skip_to(lattice_.states, s);
  const RowState &stay = before.at(s), &step = before.at(s - 1), &skip = skips ? before.at(s - 2) : none;
  const LogSum sum = log_sum_of({stay.log, step.log, skip.log});
  return next(t, s, sum, sum.growth({stay.growth, step.growth, skip.growth}), before.largest);
}

RowFrame RecursionErrors::alpha(std::int64_t t, const RowFrame& before) const {
  const auto [first, end] = reference::live_states(t, T_, L_);
  RowFrame frame{.first = first, .states = {}, .largest = log_zero};
  if (in_log_space_) frame.largest = alpha_largest_[static_cast<std::size_t>(t)];
  frame.states.reserve(static_cast<std::size_t>(std::max<std::int64_t>(end - first, 0)));
  for (std::int64_t s = first; s < end; ++s) {
    frame.states.push_back(alpha_at(t, s, before));
    frame.largest = std::max(frame.largest, frame.states.back().log - log_y(t, s));
  }
  return frame;
}

RowState RecursionErrors::beta_at(std::int64_t t, std::int64_t s, const RowFrame& after,
                                  const RowFrame& alpha_after) const {
  if (t + 1 == T_) return next(t, s, s >= L_ - 2 ? edge : LogSum{}, 0, 0);
  const RowState none;
  const bool skips = s + 2 < L_ && reference::may_skip_to(lattice_.states, s + 2);
  const RowState &stay = after.at(s), &step = after.at(s + 1), &skip = skips ? after.at(s + 2) : none;
  const LogSum sum = log_sum_of({stay.log, step.log, skip.log});
  RowState state = next(t, s, sum, sum.growth({stay.growth, step.growth, skip.growth}), after.largest);
  const auto rest = [&](const RowState& to, std::int64_t s_after) {
    return compounded(to.rest, growth_of(alpha_after.at(s_after).local));
  };
  state.rest = sum.growth({rest(stay, s), rest(step, s + 1), rest(skip, s + 2)});
  return state;
}

RowFrame RecursionErrors::beta(std::int64_t t, const RowFrame& after, const RowFrame& alpha_after) const {
  const auto [first, end] = reference::live_states(t, T_, L_);
  RowFrame frame{.first = first, .states = {}, .largest = log_zero};
  if (in_log_space_) frame.largest = beta_largest_[static_cast<std::size_t>(t)];
  frame.states.reserve(static_cast<std::size_t>(std::max<std::int64_t>(end - first, 0)));
  for (std::int64_t s = first; s < end; ++s) {
    frame.states.push_back(beta_at(t, s, after, alpha_after));
    frame.largest = std::max(frame.largest, frame.states.back().log - log_y(t, s));
  }
  return frame;
}

RowState RecursionErrors::p_of_alpha(const RowFrame& last) const {
  if (T_ == 0) return {.log = L_ == 1 ? 0 : log_zero};
  const RowState &a = last.at(L_ - 1), &b = last.at(L_ - 2);
  const LogSum sum = log_sum_of({a.log, b.log, log_zero});
  return {.log = sum.log, .growth = sum.growth({a.growth, b.growth, 0})};
}

RowState RecursionErrors::p_of_beta(const RowFrame& first) const {
  if (T_ == 0) return p_of_alpha(first);
  const RowState &a = first.at(0), &b = first.at(1);
  const LogSum sum = log_sum_of({a.log, b.log, log_zero});
  return {.log = sum.log, .growth = sum.growth({a.growth, b.growth, 0})};
}

}  // namespace assay::validation
