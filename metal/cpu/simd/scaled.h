// The forward and the backward recursion (Graves et al. 2006, eqs. 6 to 11) in doubles, eight states at a time.
//
// Blanks and labels are kept apart, so that a frame is a handful of loads, multiplications and additions. With state 2i
// the blank before label i, state 2i + 1 the label, and skip(i) = 1 where label i differs from the one before it:
//
//   alpha_blank(t, i) = y(t, blank) (alpha_blank(t-1, i) + alpha_label(t-1, i-1))
//   alpha_label(t, i) = y(t, l_i)   (alpha_label(t-1, i) + alpha_blank(t-1, i) + skip(i) alpha_label(t-1, i-1))
//   beta_blank(t, i)  = next_blank(t, i) + next_label(t, i)                            next(t) = y(t+1) beta(t+1)
//   beta_label(t, i)  = next_label(t, i) + next_blank(t, i+1) + skip(i+1) next_label(t, i+1)
//   N(t, c)           = sum of alpha(t, .) beta(t, .) over the states of class c; p = sum of N(t, c) over c
//
// Rows are multiplied by a power of two, exactly, when their largest element leaves [2^-100, 2^100]. What the recursion
// may lose is what underflows; docs/cpu-kernel.md shows when that is certain to be less than 2^-290 of p, which is when
// all of the following hold, and only then is the result called certain:
//
//   - every y met is 0 or in [2^-300, 2^100];
//   - every alpha is 0 or at least 2^-400 (then none ever underflowed); or what underflowed, at most 2^-1020 of a row's
//     unit at each state, times a bound on all that can follow it, is below 2^-300 p;
//   - the sum of N(t, .) is at least 2^-400 at each frame (then no beta that underflowed, times an alpha, counts).
#pragma once

#include "metal/cpu/kernels.h"
#include "metal/cpu/simd/emissions.h"

namespace assay::metal::cpu::ASSAY_SIMD {

inline constexpr double least_emission = 0x1p-300, most_emission = 0x1p100;
inline constexpr double least_alpha = 0x1p-400, least_total = 0x1p-400;
inline constexpr double least_row = 0x1p-100, most_row = 0x1p100;
inline constexpr int underflow_exponent = -1020, negligible_exponent = -300;

/// The exponent e of 2^e <= x < 2^(e+1), for normal x > 0.
ASSAY_INLINE int exponent(double x) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52U & 0x7ffU) - 1023;
}

ASSAY_INLINE double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
}

/// The power of two that brings a row with this largest element back to about 1.
inline int rescaling(double highest) {
  return highest >= 0x1p-900 ? -exponent(highest) : highest > 0.0 ? 900 : 0;
}

/// A row is rescaled so seldom that a processor does well to go on before its largest element is known.
ASSAY_INLINE bool is_in_range(double highest) {
  return __builtin_expect(static_cast<long>(highest >= least_row && highest <= most_row), 1) != 0;
}

/// The labels and the blanks of frame t that lie on some alignment: reachable, and able to reach the end.
struct Live {
  std::size_t first_label, first_blank, last;

  ASSAY_INLINE Live(std::size_t t, std::size_t T, std::size_t S)
      : first_label(S > T - t ? S - (T - t) : 0), first_blank(S >= T - t ? first_label + 1 : 0), last(S < t ? S : t) {}

  std::size_t begin() const { return first_label / lanes * lanes; }
  std::size_t end() const { return last / lanes * lanes + lanes; }
};

/// The sizes and the memory of one row's recursions.
struct Scaled {
  std::size_t T, S, K;
  std::size_t blank;  ///< its slot
  std::size_t kept;   ///< all bits, or the lowest alone where two rows of alpha take turns
  const double* emissions;
  ScaledCells cells;

  const double* y(std::size_t t) const { return emissions + t * emission_stride(K); }
  double* blanks(std::size_t row) const { return cells.alpha.data() + (row & kept) * ScaledCells::stride(S); }
  double* labels(std::size_t row) const { return blanks(row) + ScaledCells::width(S) + 8; }
  /// y(t) of each label, and later alpha(t) beta(t) of each.
  double* of_labels(std::size_t t) const { return cells.of_labels.data() + (t & kept) * ScaledCells::width(S); }
  /// N(t) of each class, for two frames at a time.
  double* numerators(std::size_t t) const { return cells.numerators.data() + (t & 1) * emission_stride(K); }
  double* next_blanks() const { return cells.next.data(); }
  double* next_labels() const { return cells.next.data() + ScaledCells::width(S) + 8; }
};

inline void expand(const Scaled& row, const States& states) {
  const std::size_t width = ScaledCells::width(row.S);
  const std::size_t* slots = states.slots.data();
  const bool* skips = states.skips.data();
  for (std::size_t i = 0; i < width; ++i)
    row.cells.slots.data()[i] = static_cast<std::uint32_t>(i < row.S ? slots[2 * i + 1] : row.K);
  for (std::size_t k = 0; k < emission_stride(row.K); ++k) row.cells.occurs.data()[k] = 0.0;
  for (std::size_t i = 0; i < 2 * row.S + 1; ++i) row.cells.occurs.data()[slots[i]] = 1.0;
  for (std::size_t i = 0; i < width + 8; ++i) row.cells.skips.data()[i] = i < row.S && skips[2 * i + 1] ? 1.0 : 0.0;
}

ASSAY_INLINE void gather_labels(const Scaled& row, std::size_t t) {
  const Live live(t, row.T, row.S);
  const double* y = row.y(t);
  const std::uint32_t* slots = row.cells.slots.data();
  double* of_labels = row.of_labels(t);
  for (std::size_t i = live.begin(); i < live.end(); i += lanes)
    for (std::size_t j = 0; j < lanes; ++j) of_labels[i + j] = y[slots[i + j]];
}

ASSAY_INLINE void set_zero(double* cells) {
  store(cells, all(0.0));
}

/// Row 0 of alpha: a virtual frame before the first, 1 in the blank before the first label alone.
ASSAY_INLINE void start_forward(const Scaled& row) {
  for (double* cells : {row.blanks(0), row.labels(0)}) set_zero(cells), set_zero(cells + 8);
  row.blanks(0)[0] = 1.0;
  row.labels(0)[-1] = 0.0;
}

struct Extremes {
  Lanes least_positive;  ///< over all rows
  Lanes most;            ///< of the latest row
};

/// alpha(t), in row t + 1, from alpha(t-1); y is scaled by `scale`.
ASSAY_INLINE void step_forward(const Scaled& row, std::size_t t, double scale, Extremes& extremes) {
  const Live live(t, row.T, row.S);
  const std::size_t begin = live.begin(), end = live.end();
  const double *blanks = row.blanks(t), *labels = row.labels(t);
  const double *skips = row.cells.skips.data(), *y_labels = row.of_labels(t);
  double *new_blanks = row.blanks(t + 1), *new_labels = row.labels(t + 1);
  const Lanes scales = all(scale), y_blank = all(row.y(t)[row.blank] * scale);
  Lanes most = all(0.0), least_positive = extremes.least_positive, before = load(labels + begin - lanes);
  for (std::size_t i = begin; i < end; i += lanes) {
    const Lanes blank = load(blanks + i), label = load(labels + i);
    const Lanes label_before = last_then(before, label);
    before = label;
    Lanes new_blank = (blank + label_before) * y_blank;
    Lanes new_label = ((label + blank) + load(skips + i) * label_before) * (load(y_labels + i) * scales);
    if (i == begin) {
      new_blank = new_blank * lanes_from(live.first_blank - begin);
      new_label = new_label * lanes_from(live.first_label - begin);
    }
    store(new_blanks + i, new_blank);
    store(new_labels + i, new_label);
    most = max(most, max(new_blank, new_label));
    least_positive = min(least_positive, min(where_positive(new_blank, 1.0), where_positive(new_label, 1.0)));
  }
  set_zero(new_blanks + end);
  set_zero(new_labels + end);
  new_labels[static_cast<std::ptrdiff_t>(begin) - 1] = 0.0;
  extremes = {least_positive, most};
}

/// y of eight classes from slot k on, 0 for those of no state.
ASSAY_INLINE Lanes occurring(const Scaled& row, std::size_t t, std::size_t k) {
  return load(row.y(t) + k) * load(row.cells.occurs.data() + k);
}

/// The least positive and the largest of all emissions.
inline Extremes extremes_of_emissions(const Scaled& row) {
  Extremes extremes = {all(1.0), all(0.0)};
  for (std::size_t t = 0; t < row.T; ++t)
    for (std::size_t k = 0; k < row.K; k += lanes) {
      const Lanes y = occurring(row, t, k);
      extremes = {min(extremes.least_positive, where_positive(y, 1.0)), max(extremes.most, y)};
    }
  return extremes;
}

/// Makes y exactly 0 where the activation is -inf: so far it is exp(-600).
template <class Real>
void settle_impossible(const Row<Real>& row, const States& states, double* y) {
  const std::size_t K = states.classes.size();
  for (std::size_t t = 0; t < row.T(); ++t)
    for (std::size_t k = 0; k < K; ++k) {
      const float a = row.activations(t)[states.classes.data()[k]];
      if (a < -__FLT_MAX__) y[t * emission_stride(K) + k] = 0.0;
    }
}

/// Whether every emission is 0 or within [least_emission, most_emission].
template <class Real>
bool emissions_in_range(const Row<Real>& of, const Scaled& row, const States& states, double* y) {
  Extremes extremes = extremes_of_emissions(row);
  if (smallest(extremes.least_positive) < least_emission) {
    settle_impossible(of, states, y);
    extremes = extremes_of_emissions(row);
  }
  return smallest(extremes.least_positive) >= least_emission && largest(extremes.most) <= most_emission;
}

/// Whether what underflowed anywhere in alpha is negligible beside p = 2^p_exponent, taking it that it did at every
/// state of every frame: by at most 2^underflow_exponent, times beta(t) <= the product of the factors of later frames.
/// The factor of a frame: the at most three emissions that leave a state, of different classes and so at most 1
/// together after a softmax.
inline bool negligible_underflow(const Scaled& row, double p_exponent, bool logits) {
  double factors = 0.0, worst = -__builtin_inf();
  for (std::size_t t = 0; t < row.T; ++t) {
    Lanes most = all(0.0);
    for (std::size_t k = 0; k < row.K; k += lanes) most = max(most, occurring(row, t, k));
    const double highest = largest(most);
    const int factor = highest > 0.0 ? exponent(highest) + 3 : 0;
    factors += factor > 0 && logits ? 0 : factor;
    worst = larger(worst, row.cells.exponents.data()[t + 1] - factors);
  }
  const auto states = static_cast<double>((2 * row.S + 1) * row.T);
  return worst + factors + underflow_exponent + exponent(states) + 1 <= p_exponent + negligible_exponent;
}

/// p = fraction * 2^power.
struct Probability {
  double fraction;
  double power;
  bool certain;
};

inline Probability forward(const Scaled& row, bool logits) {
  start_forward(row);
  Extremes extremes = {all(1.0), all(1.0)};
  double power = 0.0, scale = 1.0;
  row.cells.exponents.data()[0] = 0.0;
  if (row.T > 0) gather_labels(row, 0);
  for (std::size_t t = 0; t < row.T; ++t) {
    if (t + 1 < row.T) gather_labels(row, t + 1);
    step_forward(row, t, scale, extremes);
    row.cells.exponents.data()[t + 1] = power;
    scale = 1.0;
    const double highest = largest(extremes.most);
    if (is_in_range(highest)) continue;
    const int shift = rescaling(highest);
    scale = power_of_two(shift);
    power -= shift;
  }
  power = row.cells.exponents.data()[row.T];
  const double p = row.blanks(row.T)[row.S] + row.labels(row.T)[static_cast<std::ptrdiff_t>(row.S) - 1];
  const bool underflow_free = smallest(extremes.least_positive) >= least_alpha;
  const bool certain = underflow_free || (p > 0x1p-1000 && negligible_underflow(row, power + exponent(p), logits));
  return {p, power, certain};
}

/// next(T-1): 1 in the blank after the last label alone.
ASSAY_INLINE void start_backward(const Scaled& row) {
  for (std::size_t i = 0; i < ScaledCells::stride(row.S) + 8; i += lanes) set_zero(row.cells.next.data() + i);
  row.next_blanks()[row.S] = 1.0;
}

/// alpha(t) beta(t) of each label in place of its y(t), their sums over labels and over blanks; next(t) becomes
/// next(t-1), of which the largest is returned.
ASSAY_INLINE double step_backward(const Scaled& row, std::size_t t, double scale) {
  const Live live(t, row.T, row.S);
  const std::size_t begin = live.begin(), end = live.end();
  const double *blanks = row.blanks(t + 1), *labels = row.labels(t + 1), *skips = row.cells.skips.data();
  double *next_blanks = row.next_blanks(), *next_labels = row.next_labels(), *of_labels = row.of_labels(t);
  const Lanes scales = all(scale), y_blank = all(row.y(t)[row.blank] * scale);
  Lanes sum_blanks = all(0.0), sum_labels = all(0.0), most = all(0.0);
  Lanes blank = load(next_blanks + begin), label = load(next_labels + begin);
  for (std::size_t i = begin; i < end; i += lanes) {
    const Lanes blank_after = load(next_blanks + i + lanes), label_after = load(next_labels + i + lanes);
    Lanes beta_blank = blank + label;
    Lanes beta_label = (label + then_first(blank, blank_after)) + load(skips + i + 1) * then_first(label, label_after);
    blank = blank_after;
    label = label_after;
    if (i + lanes == end) {
      const Lanes reachable = lanes_below(live.last + 1 - i);
      beta_blank = beta_blank * reachable;
      beta_label = beta_label * reachable;
    }
    const Lanes product = load(labels + i) * beta_label;
    const Lanes new_blank = beta_blank * y_blank, new_label = beta_label * (load(of_labels + i) * scales);
    sum_blanks = sum_blanks + load(blanks + i) * beta_blank;
    sum_labels = sum_labels + product;
    most = max(most, max(new_blank, new_label));
    store(of_labels + i, product);
    store(next_blanks + i, new_blank);
    store(next_labels + i, new_label);
  }
  row.cells.blank_totals.data()[t] = sum(sum_blanks);
  row.cells.label_totals.data()[t] = sum(sum_labels);
  return largest(most);
}

/// Whether every frame's total is large enough to vouch for.
inline bool backward(const Scaled& row) {
  start_backward(row);
  double scale = 1.0, least = 1.0;
  for (std::size_t t = row.T; t-- > 0;) {
    const double highest = step_backward(row, t, scale);
    least = -larger(-least, -(row.cells.blank_totals.data()[t] + row.cells.label_totals.data()[t]));
    scale = is_in_range(highest) ? 1.0 : power_of_two(rescaling(highest));
  }
  return least >= least_total;
}

/// N(t) of each class.
ASSAY_INLINE void collect(const Scaled& row, std::size_t t) {
  const Live live(t, row.T, row.S);
  const std::uint32_t* slots = row.cells.slots.data();
  const double* products = row.of_labels(t);
  double* numerators = row.numerators(t);
  for (std::size_t k = 0; k < emission_stride(row.K); k += lanes) set_zero(numerators + k);
  for (std::size_t i = live.begin(); i < live.end(); i += lanes)
    for (std::size_t j = 0; j < lanes; ++j) numerators[slots[i + j]] += products[i + j];
  numerators[row.blank] = row.cells.blank_totals.data()[t];
}

/// values(k), of eight classes from slot k on, to each of the K classes.
template <class Real, class Values>
ASSAY_INLINE void scatter(const Values& values, const States& states, Real* gradient) {
  const std::size_t K = states.classes.size();
  const std::int64_t* classes = states.classes.data();
  for (std::size_t k = 0; k < K; k += lanes) {
    Real eight[lanes];
    store(eight, values(k));
    const std::size_t count = K - k < lanes ? K - k : lanes;
    for (std::size_t j = 0; j < count; ++j) gradient[classes[k + j]] = eight[j];
  }
}

/// weight * (y - N / total), or weight * -N / total, of the K classes.
template <class Real>
void write_label_gradient(const Row<Real>& to, const Scaled& row, const States& states) {
  const Lanes weights = all(to.weight);
  const Lanes ys = all(to.problem.variable == reference::CtcVariable::logits ? 1.0 : 0.0);
  collect(row, 0);
  for (std::size_t t = 0; t < row.T; ++t) {
    if (t + 1 < row.T) collect(row, t + 1);  // a frame ahead: what was just written element by element is slow to load
    const Lanes inverse = all(1.0 / (row.cells.blank_totals.data()[t] + row.cells.label_totals.data()[t]));
    const auto values = [&](std::size_t k) ASSAY_INLINE_LAMBDA {
      return weights * (ys * load(row.y(t) + k) - load(row.numerators(t) + k) * inverse);
    };
    if (to.C() <= few_classes) {
      store_all(values, row.K, to.gradient_frame(t));
    } else {
      scatter(values, states, to.gradient_frame(t));
    }
  }
}

/// -ln p, from p itself where a double holds it: near p = 1 nothing cancels.
inline double negative_log(Probability p) {
  if (p.power == 0.0) return -__builtin_log(p.fraction);
  const int e = exponent(p.fraction);
  return -(__builtin_log(p.fraction * power_of_two(-e)) + (p.power + e) * ln2);
}

template <class Real>
ScaledResult scaled(const Row<Real>& row, const RowWorkspace& workspace, const States& states) {
  const std::size_t T = row.T(), S = row.labels.size();
  const bool gradient = row.gradient.data() != nullptr;
  Arena arena(workspace.cells.data());
  const Scaled problem = {T,
                          S,
                          states.classes.size(),
                          states.slots.data()[0],
                          gradient ? ~std::size_t{0} : 1,
                          workspace.emissions.data(),
                          take_scaled(arena, T, S, states.classes.size(), kept_rows(T, gradient))};
  expand(problem, states);
  if (!emissions_in_range(row, problem, states, workspace.emissions.data())) return {};
  const Probability p = forward(problem, row.problem.input == reference::CtcInput::logits);
  if (!p.certain) return {};
  if (p.fraction == 0.0) return {__builtin_inf(), true, true};
  if (!gradient || T == 0) return {negative_log(p), true, true};
  if (!backward(problem)) return {negative_log(p), true, false};
  write_label_gradient(row, problem, states);
  return {negative_log(p), true, true};
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
