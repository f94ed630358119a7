// One frame of the forward and of the backward recursion (Graves et al. 2006, eqs. 6 to 11), within the band of states
// that lie on some alignment. y(t, i) is the emission of state i's class at frame t.
//
//   alpha(t, i) = y(t, i) * (alpha(t-1, i) + alpha(t-1, i-1) + [skip into i] alpha(t-1, i-2))
//   beta(t, i)  =   next(t, i) + next(t, i+1) + [skip into i+2] next(t, i+2)
//   next(t, i)  = y(t+1, i) * beta(t+1, i)
//   N(t, c)     = sum of alpha(t, i) * beta(t, i) over the states i of class c
//   p           = sum of N(t, c) over c, at every t: beta is without y(t, i), so no division is needed
//
// One virtual frame starts each recursion: alpha(-1) is 1 in state 0 alone, and next(T-1) is 1 in state L-1 alone.
#pragma once

#include <cstddef>
#include <span>

#include "metal/cpu/ctc/extended_range.h"
#include "metal/cpu/ctc/states.h"

namespace assay::metal::cpu {

/// The zeros on either side of a row of alpha and after a row of beta, so that the recursions need no case for the
/// edges.
inline constexpr std::size_t padding = 2;

/// Row t lies at t modulo `kept`. Where fewer rows are kept than there are, these are the latest ones.
struct Rows {
  std::span<Extended> cells;
  std::size_t width;
  std::size_t kept;

  std::span<Extended> operator[](std::size_t t) const { return cells.subspan(t % kept * width, width); }
};

/// alpha(-1), in a row [padding + L + padding].
inline void forward_start(std::span<Extended> alpha) {
  for (std::size_t i = 0; i < 2 * padding; ++i) alpha[i] = Extended{};
  alpha[padding] = one;
}

/// alpha(t) from alpha(t-1) and y [K]. Rows are [padding + L + padding]; states outside the band are undefined, except
/// for the zeros that alpha(t+1) reads.
inline void forward_step(const States& states, Band band, std::span<const Extended> y,
                         std::span<const Extended> previous, std::span<Extended> alpha) {
  for (std::size_t i = band.first; i <= band.last; ++i) {
    Extended sum = previous[padding + i] + previous[padding + i - 1];
    if (states.skips[i]) sum = sum + previous[padding + i - 2];
    alpha[padding + i] = y[states.slots[i]] * sum;
  }
  alpha[0] = alpha[1] = Extended{};
  alpha[padding + band.last + 1] = alpha[padding + band.last + 2] = Extended{};
}

/// p from the last row of alpha (eq. 8).
inline Extended total_probability(std::span<const Extended> alpha) {
  const std::size_t end = alpha.size() - padding;
  return alpha[end - 1] + alpha[end - 2];
}

/// next(T-1), in a row [L + padding].
inline void backward_start(std::span<Extended> next) {
  for (Extended& cell : next) cell = Extended{};
  next[next.size() - padding - 1] = one;
}

/// N(t) [K] from alpha(t) [padding + L + padding], y(t) [K] and next(t) [L + padding], which is replaced by next(t-1).
inline void backward_step(const States& states, Band band, std::span<const Extended> y, std::span<const Extended> alpha,
                          std::span<Extended> next, std::span<Extended> numerators) {
  for (Extended& numerator : numerators) numerator = Extended{};
  for (std::size_t i = band.first; i <= band.last; ++i) {
    Extended beta = next[i] + next[i + 1];
    if (states.skips[i + 2]) beta = beta + next[i + 2];
    const std::size_t slot = states.slots[i];
    numerators[slot] = numerators[slot] + alpha[padding + i] * beta;
    next[i] = y[slot] * beta;
  }
}

}  // namespace assay::metal::cpu
