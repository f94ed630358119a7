// The probabilities y of the classes from the activations of a row, and the part of the gradient that depends on y
// alone.
//
//   logits      y(c) = e(c) * (1 / Z),   e(c) = exp(a(c)) 2^-k0,   Z = sum of e(c) over all classes,   max e(c) about 1
//   log_probs   y(c) = exp(a(c))
//
// e is kept for the K classes of the label sequence, and 1 / Z as the scale of the frame's normalizer, so that y is e
// times the scale. For the other classes the gradient is written at once.
#pragma once

#include "metal/cpu/ctc/kernels.h"
#include "metal/cpu/simd/exponential.h"
#include "metal/cpu/simd/float16.h"
#include "metal/cpu/simd/masks.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// Prefetches the activations and the gradient of a later frame while a frame is computed. Hardware prefetch does not
/// help: frames of few classes lie far apart, and with many classes memory would be idle while exponentials are
/// computed.
struct Ahead {
  const char *activations = nullptr, *gradient = nullptr;

  template <class Real>
  ASSAY_INLINE Ahead(const Row<Real>& row, std::size_t t) {
    const std::size_t frames = row.C() * sizeof(Real) < 4096 ? 6 : 1;
    if (t + frames >= row.T()) return;
    activations = reinterpret_cast<const char*>(row.activations(t + frames));
    if (row.gradient.data() != nullptr) gradient = reinterpret_cast<const char*>(row.gradient_frame(t + frames));
  }

  ASSAY_INLINE void fetch(std::size_t byte) const {
    if (activations != nullptr) __builtin_prefetch(activations + byte, 0, 2);
    if (gradient != nullptr) __builtin_prefetch(gradient + byte, 0, 2);
  }
};

struct Sum {
  double total;    ///< of the exponentials
  double highest;  ///< of the activations
  double lowest;   ///< of the activations; -infinity for fewer than 8 classes
};

/// Whether all activations of a frame are so near to 0 that every y lies between 2^-200 / C and 2^100.
ASSAY_INLINE bool is_usual(const Sum& sum) {
  return sum.lowest >= -64.0 && sum.highest <= 64.0;
}

/// exp(a) 2^-k0 of all classes, their sum, and the highest a, in one pass. `exps` is [whole_lanes(C)] and may be
/// `frame`.
template <class Real>
ASSAY_INLINE Sum take_exponentials(const Real* frame, std::size_t C, ExpRange range, const Ahead& ahead, double* exps) {
  using Begun = HalfExponential;
  Lanes sums = all(0.0), highest = all(-__builtin_inf()), lowest = all(__builtin_inf());
  const auto begin = [&](Lanes a) ASSAY_INLINE_LAMBDA {
    highest = max(highest, a);
    lowest = min(lowest, a);
    return Begun(max(a, all(range.least)), range.k0);
  };
  const auto finish = [&](const Begun& begun, std::size_t c, Lanes counted) ASSAY_INLINE_LAMBDA {
    const Lanes exp = begun.rest();
    sums = sums + exp * counted;
    store(exps + c, exp);
  };
  if (C < lanes) {
    finish(begin(load_first(frame, C, Real(-__builtin_inf()))), 0, lanes_below(C));
    for (std::size_t c = C; c < lanes; ++c) exps[c] = 0.0;
    return {sum(sums), largest(highest), smallest(lowest)};
  }
  const Lanes last = load(frame + C - lanes);
  Begun next =
      begin(load(frame));  // begun one iteration early: two short chains of dependent operations instead of a long one
  std::size_t c = 0;
  for (; c + 2 * lanes <= C; c += lanes) {
    ahead.fetch(c * sizeof(Real));
    const Begun begun = next;
    next = begin(load(frame + c + lanes));
    const Lanes exp = begun.rest();
    sums = sums + exp;
    store(exps + c, exp);
  }
  ahead.fetch(C * sizeof(Real) - 1);
  const Begun tail = begin(last);
  finish(next, c, all(1.0));
  if (C % lanes != 0) finish(tail, C - lanes, lanes_from(lanes - C % lanes));
  return {sum(sums), largest(highest), smallest(lowest)};
}

/// min(a - shift, most) of all classes, as doubles.
template <class Real>
ASSAY_INLINE void widen(const Real* frame, std::size_t C, double shift, double most, double* values) {
  for (std::size_t c = 0; c < C; ++c) {
    const double a = static_cast<double>(static_cast<float>(frame[c])) - shift;
    values[c] = a < most ? a : most;
  }
}

/// Computes the exponentials of logits that do not fit in doubles, or whose reciprocal sum would not. Past 2^19 the
/// difference of two logits within 600 of each other is exact, and the logits themselves are too large for
/// `exponential`.
template <class Real>
Normalizer far_exponentials(const Real* frame, std::size_t C, double highest, const Ahead& ahead, double* exps) {
  const double shift = __builtin_fabs(highest) > 0x1p19 ? highest : 0.0;
  const ExpRange range = ExpRange::below(highest - shift);
  widen(frame, C, shift, highest - shift, exps);
  const Sum sum = take_exponentials(exps, C, range, ahead, exps);
  return {.shift = static_cast<float>(shift), .scale = 1.0 / sum.total, .k0 = range.k0};
}

/// Computes exp(a - shift) 2^-k0 of all classes in `exps` [whole_lanes(C)] and returns the normalizer that turns them
/// into y. Logits of usual size need neither shift nor k0, so their exponentials need not wait for the highest logit.
template <class Real>
ASSAY_INLINE Normalizer exponentials(const Real* frame, std::size_t C, bool logits, const Ahead& ahead, double* exps) {
  if (!logits) {
    const Sum sum = take_exponentials(frame, C, ExpRange{}, ahead, exps);
    if (sum.highest <= max_exponent) return {.is_usual = is_usual(sum)};
    widen(frame, C, 0.0, max_exponent, exps);
    take_exponentials(exps, C, ExpRange{}, ahead, exps);
    return {};
  }
  const Sum sum = take_exponentials(frame, C, ExpRange{}, ahead, exps);
  if (__builtin_expect(static_cast<long>(__builtin_fabs(sum.highest) <= 64.0), 1) != 0)
    return {.is_usual = is_usual(sum), .scale = 1.0 / sum.total};
  return far_exponentials(frame, C, sum.highest, ahead, exps);
}

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
