// The inner loops of the singular value decomposition, compiled once for each instruction set, in float and double.
//
// Columns stand side by side in lanes: `lanes` of them, 64 bytes, make a row of a block, and a panel of two blocks has
// as many pairs of columns rotated at a time as a block has lanes. Nothing is summed over lanes.
#pragma once

#include <cstdint>

#include "metal/cpu/kernels.h"

namespace assay::metal::cpu {

/// Columns in a block of T.
template <class T>
inline constexpr std::int64_t svd_lanes = 64 / sizeof(T);

/// Of columns that count as 0, the squared norm, scaled as svd_scale does, is at most this: some 1e-28 of the largest
/// in float, 1e-70 in double. What is left of a column without a direction of its own shrinks by a unit of roundoff a
/// sweep until it is that small: of double's whole range that would be 60 sweeps and more.
template <class T>
inline constexpr T svd_smallest_square = sizeof(T) == 4 ? T(0x1p-118) : T(0x1p500);

/// Matrices [M, N] one after the other, row-major, of at most svd_lanes rows or columns, and how they lie in lanes.
///
/// What is decomposed is G [m, n], m >= n: A, or A^T where it has fewer rows than columns. A matrix has `group` lanes
/// of each of two blocks, 2 * group >= n, and svd_lanes / group matrices share a panel. Below G, in rows of their own,
/// are the n of the identity, which become the right factor.
template <class T>
struct SvdBatch {
  SvdBatch(std::int64_t the_M, std::int64_t the_N, bool with_vectors, int the_sweep_limit);

  const T* A = nullptr;
  T* U = nullptr;  ///< null: singular values only
  T* S = nullptr;
  T* Vh = nullptr;
  std::int64_t M, N, m, n;
  std::int64_t rows, more_rows, stride;  ///< of the blocks
  int levels;                            ///< group = 2^levels
  int sweep_limit;

  bool transposed() const { return M < N; }
  std::int64_t group() const { return std::int64_t{1} << levels; }
  std::int64_t matrices_of_panel() const { return svd_lanes<T> / group(); }
  std::int64_t panels_in_turns() const;
  std::int64_t matrices_in_turns() const { return matrices_of_panel() * panels_in_turns(); }
  std::int64_t elements_in_turns() const { return 2 * stride * panels_in_turns(); }
};

/// The most panels that are worked on in turns, so that one's arithmetic fills the time that another waits for its own,
/// and how many of these rows fit in three quarters of a cache of 32 KiB.
inline constexpr std::int64_t svd_most_in_turns = 4;
std::int64_t svd_in_turns(std::int64_t rows);

/// The elements from block to block: not a multiple of 4 KiB, for then stores to one block would hold up loads from the
/// other.
template <class T>
std::int64_t svd_block_stride(std::int64_t rows);

/// Powers of two: what a matrix is multiplied by, one after the other, so that its largest element has the exponent
/// from which squares have most room both ways; and what then gives singular values back, rounded once.
template <class T>
struct SvdScale {
  T up[2], down[2];
};
template <class T>
SvdScale<T> svd_scale(T largest, std::int64_t m, std::int64_t n);

/// A matrix [rows, columns] in memory: element (i, j) at data[i * row_step + j * column_step].
template <class T>
struct SvdView {
  T* data = nullptr;
  std::int64_t rows = 0, columns = 0, row_step = 0, column_step = 1;

  T& operator()(std::int64_t i, std::int64_t j) const { return data[i * row_step + j * column_step]; }
};

/// Makes the columns from `rank` on orthonormal to those before and to each other; of each, the first of the elements
/// of largest magnitude is positive.
template <class T>
void complete_columns(const SvdView<T>& matrix, std::int64_t rank);

/// The first matrix of which something is to be said, or -1.
struct SvdTrouble {
  std::int64_t not_finite = -1;
  std::int64_t not_converged = -1;
};

/// `count` blocks (an even number) that begin `stride` elements apart, each of `rows` rows and then `more_rows` that
/// are rotated along and count for nothing; `rows` and `stride` are multiples of 4 rows and of 64 bytes.
template <class T>
struct SvdBlocks {
  T* data = nullptr;
  std::int64_t count = 0, stride = 0, rows = 0, more_rows = 0;
};

/// What of a matrix is left to factor: rows and columns from `first` on of a row-major matrix whose rows begin `stride`
/// elements apart, on a 64-byte boundary.
template <class T>
struct SvdRest {
  T* data = nullptr;
  std::int64_t rows = 0, columns = 0, stride = 0, first = 0;
};

template <class T>
struct SvdKernels {
  /// Decomposes the matrices first <= b < last, at most `matrices_in_turns` of them, in `blocks` [elements_in_turns] on
  /// a 64-byte boundary.
  SvdTrouble (*batch)(const SvdBatch<T>& batch, T* blocks, std::int64_t first, std::int64_t last);

  /// One-sided Jacobi until the columns are orthogonal to working precision. Returns the number of sweeps, 0 where the
  /// limit was reached.
  int (*orthogonalize)(const SvdBlocks<T>& blocks, std::int64_t columns, int sweep_limit);

  /// The squares of the norms of the columns: of `count` * svd_lanes of them.
  void (*squared_norms)(const SvdBlocks<T>& blocks, T* squares);

  /// Applies I - factor v v^T, v [rows - first], to the columns from `first` on (and to some before it). squares
  /// [stride] receives the squared norms of what is below row `first`. With a factor of 0, these alone.
  void (*reflect)(const SvdRest<T>& rest, const T* v, T factor, T* squares);
};

template <class T>
const SvdKernels<T>& svd_kernels(InstructionSet set);

/// Columns are orthogonal when the cosine of the angle between any two is at most this: sqrt(columns) units of
/// roundoff.
template <class T>
T svd_tolerance(std::int64_t columns);

/// A cosine from which on a rotation makes columns more orthogonal: 2 units of roundoff.
template <class T>
inline constexpr T svd_worthwhile = sizeof(T) == 4 ? T(0x1p-23) : T(0x1p-52);

}  // namespace assay::metal::cpu
