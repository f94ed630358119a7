// The probabilities y of the classes from the activations of a row, and the part of the gradient that depends on y
// alone.
//
//   logits      y(c) = e(c) * (1 / Z),   e(c) = exp(a(c)) 2^-k0,   Z = sum of e(c) over all classes,   max e(c) about 1
//   log_probs   y(c) = exp(a(c))
//
// e is kept for the K classes of the label sequence, and 1 / Z as the scale of the frame's normalizer, so that y is e
// times the scale. For the other classes the gradient is written at once.
#pragma once

#include "metal/cpu/ctc/simd/frame_exponentials.h"
#include "metal/cpu/simd/masks.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// Calls values(c), which handles the eight classes from c on, until all C are done; it handles some classes twice.
template <class Real, class Values>
ASSAY_INLINE void store_all(const Values& values, std::size_t C, Real* to) {
  for (std::size_t c = 0; c + lanes <= C; c += lanes) store(to + c, values(c));
  if (C > lanes && C % lanes != 0) store(to + C - lanes, values(C - lanes));
  if (C < lanes) store_first(to, C, values(0));
}

/// The exponentials of log-probabilities of the K classes alone.
template <class Real>
ASSAY_INLINE void gather_exponentials(const Real* frame, const std::int64_t* classes, std::size_t K, double* y) {
  for (std::size_t k = 0; k < K; ++k) {
    const double a = static_cast<float>(frame[classes[k]]);
    y[k] = a < max_exponent ? a : max_exponent;
  }
  for (std::size_t k = 0; k < K; k += lanes) {
    const Lanes exp = exponential(load(y + k), ExpRange{});
    store(y + k, K - k < lanes ? exp * lanes_below(K - k) : exp);
  }
}

/// e [emission_stride(K)] of frame t, then zeros, and the gradient. With few classes all of them are kept, and the
/// labels' part of the gradient covers all of them.
template <class Real>
ASSAY_INLINE Normalizer frame_emissions(const Row<Real>& row, const RowWorkspace& workspace, const States& states,
                                        std::size_t t) {
  const std::size_t C = row.C(), K = states.classes.size();
  const std::int64_t* classes = states.classes.data();
  const bool gradient = row.gradient.data() != nullptr, few = C <= few_classes;
  const bool logits = row.problem.input == reference::CtcInput::logits;
  const bool of_logits = row.problem.variable == reference::CtcVariable::logits;
  double* e = workspace.emissions.data() + t * emission_stride(K);
  double* exps = few ? e : workspace.exps.data();
  Normalizer normalizer;
  store(e + emission_stride(K) - lanes, all(0.0));
  if (logits || (gradient && of_logits)) {
    normalizer = exponentials(row.activations(t), C, logits, Ahead(row, t), exps);
    for (std::size_t k = 0; !few && k < K; ++k) e[k] = exps[classes[k]];
  } else {
    gather_exponentials(row.activations(t), classes, K, e);
  }
  if (!gradient || few) return normalizer;
  Real* to = row.gradient_frame(t);
  if (of_logits) {
    const Lanes scales = all(normalizer.scale * row.weight);
    store_all([&](std::size_t c) ASSAY_INLINE_LAMBDA { return load(exps + c) * scales; }, C, to);
  } else {
    for (std::size_t c = 0; c < C; ++c) to[c] = Real(0.0);
  }
  return normalizer;
}

/// The same for eight frames of 8 to few_classes logits, from frame t on. Returns false, with nothing to be used, where
/// a logit is beyond 64 in size.
template <class Real>
ASSAY_INLINE bool eight_frames(const Row<Real>& row, const RowWorkspace& workspace, std::size_t t) {
  const std::size_t C = row.C(), stride = emission_stride(C);
  const Lanes counted = lanes_from(lanes - C % lanes);
  Lanes sums[lanes], most = all(0.0);
  for (std::size_t f = 0; f < lanes; ++f) {
    const Real* frame = row.activations(t + f);
    double* e = workspace.emissions.data() + (t + f) * stride;
    const Ahead ahead(row, t + f);
    const auto take = [&](std::size_t c) ASSAY_INLINE_LAMBDA {
      const Lanes a = load(frame + c);
      most = max(most, absolute(a));
      ahead.fetch(c * sizeof(Real));
      const Lanes exp = HalfExponential(a).rest();
      store(e + c, exp);
      return exp;
    };
    store(e + stride - lanes, all(0.0));
    sums[f] = take(0);
    for (std::size_t c = lanes; c + lanes <= C; c += lanes) sums[f] = sums[f] + take(c);
    if (C % lanes != 0) sums[f] = sums[f] + take(C - lanes) * counted;
  }
  double scales[lanes];
  store(scales, all(1.0) / lane_sums(sums));
  for (std::size_t f = 0; f < lanes; ++f) workspace.normalizers.data()[t + f] = {.is_usual = true, .scale = scales[f]};
  return largest(most) <= 64.0;
}

template <class Real>
void emissions(const Row<Real>& row, const RowWorkspace& workspace, const States& states, Frames frames) {
  const bool by_eight = row.problem.input == reference::CtcInput::logits && row.C() >= lanes &&
                        row.C() <= few_classes && frames.last - frames.first >= lanes;
  for (std::size_t t = frames.first; t < frames.last;) {
    if (by_eight) {
      t = t + lanes <= frames.last ? t : frames.last - lanes;
      if (eight_frames(row, workspace, t)) {
        t += lanes;
        continue;
      }
    }
    const std::size_t end = by_eight ? t + lanes : t + 1;
    for (; t < end; ++t) workspace.normalizers.data()[t] = frame_emissions(row, workspace, states, t);
  }
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
