// Beta in scaled doubles, and with it the gradient (scaled.h).
#pragma once

#include "metal/cpu/ctc/simd/few_classes.h"
#include "metal/cpu/ctc/simd/scaled_block.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// next(T-1) is 1 in the blank after the last label, and 0 elsewhere.
ASSAY_INLINE void start_backward(const Scaled& row) {
  for (std::size_t i = 0; i < ScaledCells::stride(row.S) + 8; i += lanes) set_zero(row.cells.next.data() + i);
  row.next_blanks()[row.S] = 1.0;
}

/// Replaces y(t) of each label by alpha(t) beta(t), and adds these up over labels and over blanks. Replaces next(t) by
/// next(t-1) and returns its largest element.
template <bool few>
ASSAY_INLINE double step_backward(const Scaled& row, std::size_t t, double scale) {
  const Live live(t, row.T, row.S);
  const std::size_t begin = live.begin(), end = live.end();
  const double *blanks = row.blanks(t + 1), *labels = row.labels(t + 1), *skips = row.cells.skips.data();
  double *next_blanks = row.next_blanks(), *next_labels = row.next_labels(), *of_labels = row.of_labels(t);
  const double y_scale = row.y_scale(t) * scale;
  const LabelEmissions<few> y_labels(row, t, y_scale);
  const Lanes y_blank = all(row.y(t)[row.blank] * y_scale);
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
    const Lanes new_blank = beta_blank * y_blank, new_label = beta_label * y_labels.from(i);
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

/// How many frames early the gradient of a frame is prefetched.
inline constexpr std::size_t frames_ahead = 2 * block;

/// Writes values(k), eight classes from slot k on, to the K classes, and prefetches `soon`, for writes that miss the
/// caches wait one after the other.
template <class Real, class Values>
ASSAY_INLINE void scatter(const Values& values, const States& states, Real* gradient, const Real* soon) {
  const std::size_t K = states.classes.size();
  const std::int64_t* classes = states.classes.data();
  for (std::size_t k = 0; k < K; k += lanes) {
    Real eight[lanes];
    store(eight, values(k));
    const std::size_t count = K - k < lanes ? K - k : lanes;
    for (std::size_t j = 0; j < count; ++j) {
      gradient[classes[k + j]] = eight[j];
      __builtin_prefetch(soon + classes[k + j], 1, 2);
    }
  }
}

/// Writes weight * (y - N / total), or weight * -N / total, for the K classes at frame t.
template <class Real>
ASSAY_INLINE void write_label_gradient(const Row<Real>& to, const Scaled& row, const States& states, std::size_t t) {
  const Lanes weights = all(to.weight);
  const Lanes ys = all(to.problem.variable == reference::CtcVariable::logits ? row.y_scale(t) : 0.0);
  const Lanes inverse = all(1.0 / row.total(t));
  const auto values = [&](std::size_t k) ASSAY_INLINE_LAMBDA {
    return weights * (ys * load(row.y(t) + k) - load(row.numerators(t) + k) * inverse);
  };
  if (to.C() <= few_classes) {
    store_all(values, row.K, to.gradient_frame(t));
  } else {
    scatter(values, states, to.gradient_frame(t), to.gradient_frame(t < frames_ahead ? 0 : t - frames_ahead));
  }
}

/// Computes beta and the gradient, block after block from the end. Returns false where the total of some frame is too
/// small to be certain; the gradient must then not be used.
template <bool few, class Real>
bool backward(const Row<Real>& to, const Scaled& row, const States& states) {
  start_backward(row);
  double scale = 1.0, least = 1.0;
  for (std::size_t t = (row.T + block - 1) / block * block; t > 0;) {
    t -= block;
    if (!few) gather_labels(row, t);
    const std::size_t end = last_of_block(row, t) + 1;
    for (std::size_t f = end; f-- > t;) {
      const double highest = step_backward<few>(row, f, scale);
      least = -larger(-least, -row.total(f));
      scale = is_in_range(highest) ? 1.0 : power_of_two(rescaling(highest));
    }
    if (few) {
      collect_few(row, t);
    } else {
      collect(row, t);
    }
    for (std::size_t f = t; f < end; ++f) write_label_gradient(to, row, states, f);
  }
  return least >= min_total;
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
