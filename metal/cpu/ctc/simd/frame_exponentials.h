// The exponentials of all classes of one frame, and what turns them into probabilities.
#pragma once

#include "metal/cpu/ctc/kernels.h"
#include "metal/cpu/simd/exponential.h"
#include "metal/cpu/simd/float16.h"

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

}  // namespace assay::metal::cpu::ASSAY_SIMD
