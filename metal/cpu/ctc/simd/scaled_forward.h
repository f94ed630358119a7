// Alpha in scaled doubles, the probability of the labels, and whether that is certain (scaled.h).
#pragma once

#include "metal/cpu/ctc/simd/few_classes.h"
#include "metal/cpu/ctc/simd/scaled_block.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// Row 0 of alpha: a virtual frame before the first, with 1 in the blank before the first label and 0 elsewhere.
ASSAY_INLINE void start_forward(const Scaled& row) {
  for (double* cells : {row.blanks(0), row.labels(0)}) set_zero(cells), set_zero(cells + 8);
  row.blanks(0)[0] = 1.0;
}

struct Extremes {
  Lanes min_positive;  ///< over all rows
  Lanes most;          ///< of the latest row
};

/// alpha(t), in row t + 1, from alpha(t-1); y is scaled by `scale`. Tracks the smallest positive alpha if `is_watched`.
template <bool is_watched, bool few>
ASSAY_INLINE void step_forward(const Scaled& row, std::size_t t, double scale, Extremes& extremes) {
  const Live live(t, row.T, row.S);
  const std::size_t begin = live.begin(), end = live.end();
  const double *blanks = row.blanks(t), *labels = row.labels(t);
  const double* skips = row.cells.skips.data();
  double *new_blanks = row.blanks(t + 1), *new_labels = row.labels(t + 1);
  const double y_scale = row.y_scale(t) * scale;
  const LabelEmissions<few> y_labels(row, t, y_scale);
  const Lanes y_blank = all(row.y(t)[row.blank] * y_scale);
  Lanes most = all(0.0), min_positive = extremes.min_positive;
  // A label that lies on no alignment counts for none after it.
  Lanes before = begin > 0 && live.first_label == begin ? load(labels + begin - lanes) : all(0.0);
  for (std::size_t i = begin; i < end; i += lanes) {
    const Lanes blank = load(blanks + i), label = load(labels + i);
    const Lanes label_before = last_then(before, label);
    before = label;
    Lanes new_blank = (blank + label_before) * y_blank;
    Lanes new_label = ((label + blank) + load(skips + i) * label_before) * y_labels.from(i);
    if (i == begin) {
      new_blank = new_blank * lanes_from(live.first_blank - begin);
      new_label = new_label * lanes_from(live.first_label - begin);
    }
    if (few && i + lanes > row.S) new_label = new_label * lanes_below(row.S - i);
    store(new_blanks + i, new_blank);
    store(new_labels + i, new_label);
    most = max(most, max(new_blank, new_label));
    if constexpr (is_watched)
      min_positive = min(min_positive, min(where_positive(new_blank, 1.0), where_positive(new_label, 1.0)));
  }
  set_zero(new_blanks + end);
  set_zero(new_labels + end);
  extremes = {min_positive, most};
}

/// y of eight classes from slot k on; 0 for classes that no state has.
ASSAY_INLINE Lanes occurring(const Scaled& row, std::size_t t, std::size_t k) {
  return load(row.y(t) + k) * all(row.y_scale(t)) * load(row.cells.occurs.data() + k);
}

/// The smallest positive and the largest of all emissions.
inline Extremes extremes_of_emissions(const Scaled& row) {
  Extremes extremes = {all(1.0), all(0.0)};
  for (std::size_t t = 0; t < row.T; ++t)
    for (std::size_t k = 0; k < row.K; k += lanes) {
      const Lanes y = occurring(row, t, k);
      extremes = {min(extremes.min_positive, where_positive(y, 1.0)), max(extremes.most, y)};
    }
  return extremes;
}

/// Sets y to exactly 0 where the activation is -inf; it was computed as exp(-600).
template <class Real>
void settle_impossible(const Row<Real>& row, const States& states, double* y) {
  const std::size_t K = states.classes.size();
  for (std::size_t t = 0; t < row.T(); ++t)
    for (std::size_t k = 0; k < K; ++k) {
      const float a = row.activations(t)[states.classes.data()[k]];
      if (a < -__FLT_MAX__) y[t * emission_stride(K) + k] = 0.0;
    }
}

/// Whether every emission is 0 or within [min_emission, max_emission].
template <class Real>
bool emissions_in_range(const Row<Real>& of, const Scaled& row, const States& states, const RowWorkspace& workspace) {
  bool usual = true;
  for (std::size_t t = 0; t < row.T; ++t) usual &= workspace.normalizers.data()[t].is_usual;
  if (usual) return true;
  Extremes extremes = extremes_of_emissions(row);
  if (smallest(extremes.min_positive) < min_emission) {
    settle_impossible(of, states, workspace.emissions.data());
    extremes = extremes_of_emissions(row);
  }
  return smallest(extremes.min_positive) >= min_emission && largest(extremes.most) <= max_emission;
}

/// A bound on all underflow in alpha together. Assumes that every state of every frame lost 2^underflow_exponent, times
/// beta(t), which is at most the product of the factors of the later frames. The factor of a frame bounds the sum of
/// the at most three emissions that leave a state. They are of different classes, so after a softmax it is at most 1.
struct Underflow {
  double factors = 0.0, worst = -__builtin_inf();

  ASSAY_INLINE void add(const Scaled& row, std::size_t t, bool logits) {
    Lanes most = all(0.0);
    for (std::size_t k = 0; k < row.K; k += lanes) most = max(most, occurring(row, t, k));
    const double highest = largest(most);
    const int factor = highest > 0.0 ? exponent(3.0 * highest) + 1 : 0;
    factors += factor > 0 && logits ? 0 : factor;
    worst = larger(worst, row.cells.exponents.data()[t + 1] - factors);
  }

  /// Whether it is negligible beside p = 2^p_exponent.
  bool is_negligible(const Scaled& row, double p_exponent) const {
    const auto states = static_cast<double>((2 * row.S + 1) * row.T);
    return worst + factors + underflow_exponent + exponent(states) + 1 <= p_exponent + negligible_exponent;
  }

  /// Whether it may be negligible at the end, after a frame whose alphas are at most `highest`.
  bool may_be_negligible(const Scaled& row, double power, double highest) const {
    const auto states = static_cast<double>(2 * row.S + 1);
    return is_negligible(row, power + exponent(highest) + exponent(states) + 2);
  }
};

/// Whether all underflow is negligible beside p. After a softmax no factor is above 1, and mostly the largest exponent
/// of a row alone shows it.
inline bool negligible_underflow(const Scaled& row, double p_exponent, bool logits, double largest_power) {
  if (logits && Underflow{0.0, largest_power}.is_negligible(row, p_exponent)) return true;
  Underflow underflow;
  for (std::size_t t = 0; t < row.T; ++t) underflow.add(row, t, logits);
  return underflow.is_negligible(row, p_exponent);
}

/// p = fraction * 2^power.
struct Probability {
  double fraction;
  double power;
  bool certain;
};

/// Gives up, with a result that is not certain, where alphas have underflowed and p can no longer be large enough.
template <bool is_watched, bool few>
Probability run_forward(const Scaled& row, bool logits) {
  start_forward(row);
  Extremes extremes = {all(1.0), all(1.0)};
  Underflow underflow;
  double power = 0.0, scale = 1.0, largest_power = 0.0;
  row.cells.exponents.data()[0] = 0.0;
  for (std::size_t t = 0; t < row.T; ++t) {
    if (!few && t % block == 0) gather_labels(row, t);
    step_forward<is_watched, few>(row, t, scale, extremes);
    row.cells.exponents.data()[t + 1] = power;
    largest_power = larger(largest_power, power);
    scale = 1.0;
    const double highest = largest(extremes.most);
    if constexpr (is_watched) {
      underflow.add(row, t, logits);
      if (t % 16 == 0 && smallest(extremes.min_positive) < min_alpha &&
          !underflow.may_be_negligible(row, power, larger(highest, 0x1p-1000)))
        return {0.0, 0.0, false};
    }
    if (is_in_range(highest)) continue;
    const int shift = rescaling(highest);
    scale = power_of_two(shift);
    power -= shift;
  }
  power = row.cells.exponents.data()[row.T];
  const double p = row.blanks(row.T)[row.S] + (row.S > 0 ? row.labels(row.T)[row.S - 1] : 0.0);
  const bool underflow_free = is_watched && smallest(extremes.min_positive) >= min_alpha;
  const bool certain =
      underflow_free || (p > 0x1p-1000 && negligible_underflow(row, power + exponent(p), logits, largest_power));
  return {p, power, certain};
}

/// In few frames p rarely becomes so small that an underflow could matter, so these run unwatched first.
template <bool few>
Probability forward(const Scaled& row, bool logits) {
  constexpr std::size_t few_frames = 200;
  if (row.T <= few_frames)
    if (const Probability p = run_forward<false, few>(row, logits); p.certain) return p;
  return run_forward<true, few>(row, logits);
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
