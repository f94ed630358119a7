// The order in which pairs of columns are rotated. A sweep has every pair exactly once, and the pairs of one step have
// no column in common, so all of them can be rotated at the same time. Both compilers read it.
//
// The circle method of round-robin tournaments: in round r the last of n players is paired with player r, and players
// r + k and r - k (modulo n - 1) are paired. As an ordering of Jacobi rotations: R. P. Brent and
// F. T. Luk, SIAM J. Sci. Stat. Comput. 6, 1985.
#pragma once

#ifdef __METAL_VERSION__
#include <metal_stdlib>
#else
#include <cstdint>
#endif

namespace assay {
namespace svd {

struct ColumnPair {
  uint32_t first, second;  ///< first < second
};

inline ColumnPair ordered(uint32_t a, uint32_t b) {
  return a < b ? ColumnPair{a, b} : ColumnPair{b, a};
}

/// Pair k, in [0, n / 2), of step `step`, in [0, n - 1), of n players; n is even.
inline ColumnPair round_robin(uint32_t n, uint32_t step, uint32_t k) {
  const uint32_t circle = n - 1;
  const uint32_t a = step + k < circle ? step + k : step + k - circle;
  const uint32_t b = step >= k ? step - k : step + circle - k;
  return ordered(k == 0 ? circle : a, b);
}

/// Pair k, in [0, n), of step `step`, in [0, n), where each of n players 0 .. n - 1 is paired with one of n others, n
/// .. 2 n - 1.
inline ColumnPair crossing(uint32_t n, uint32_t step, uint32_t k) {
  return {k, n + (k + step) % n};
}

/// The steps in which a threadgroup rotates the columns of two blocks of `width` columns. In the first step of a sweep,
/// when each block is in exactly one pair of blocks, these include pairs within a block; later only pairs of columns
/// from different blocks.
inline uint32_t inner_steps(uint32_t width, bool is_first) {
  return is_first ? 2 * width - 1 : width;
}

/// Pair k, in [0, width), of such a step. Columns 0 .. width - 1 are those of the first block, the others those of the
/// second.
inline ColumnPair inner_pair(uint32_t width, bool is_first, uint32_t step, uint32_t k) {
  return is_first ? round_robin(2 * width, step, k) : crossing(width, step, k);
}

/// The same pair as columns of the matrix, for the pair `blocks` of blocks.
inline ColumnPair columns_of_blocks(uint32_t width, ColumnPair blocks, ColumnPair inner) {
  const uint32_t first = blocks.first * width, second = (blocks.second - 1) * width;
  return {inner.first + (inner.first < width ? first : second), inner.second + (inner.second < width ? first : second)};
}

}  // namespace svd
}  // namespace assay
