// The inner loops of the singular value decomposition, compiled once for each instruction set, in float and double.
//
// Columns lie side by side in lanes. A row of a block holds svd_lanes columns, which are 64 bytes. A panel is two
// blocks; a pair of columns is rotated in each lane at the same time. Nothing is summed over lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "metal/cpu/instruction_set.h"

namespace assay::metal::cpu {

/// The number of columns in a block.
template <class T>
inline constexpr std::int64_t svd_lanes = 64 / sizeof(T);

/// The elements, up to a whole number of registers.
template <class T>
constexpr std::int64_t whole_registers(std::int64_t elements) {
  return (elements + svd_lanes<T> - 1) / svd_lanes<T> * svd_lanes<T>;
}

/// A column counts as 0 if its squared norm, scaled as svd_scale does, is at most this: about 1e-28 of the largest in
/// float, 1e-70 in double. A column that depends on the others shrinks by a unit of roundoff each sweep until it is
/// that small; over the whole range of double that would take 60 sweeps and more.
template <class T>
inline constexpr T svd_smallest_square = sizeof(T) == 4 ? T(0x1p-118) : T(0x1p500);

/// Matrices [M, N] one after the other, row-major, of at most svd_lanes rows or columns, and how they lie in lanes.
///
/// The matrix that is decomposed is G [m, n], m >= n: A, or A^T where A has fewer rows than columns. A matrix has
/// `group` lanes of each of two blocks, 2 * group >= n, and svd_lanes / group matrices share a panel. Below the rows of
/// G are the n rows of the identity, which become the right factor.
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

/// Panels are rotated in turns, so that the arithmetic of one fills the latency of another. svd_max_in_turns is the
/// largest number of panels; svd_in_turns is how many of `rows` rows fit in three quarters of a cache of 32 KiB.
inline constexpr std::int64_t svd_max_in_turns = 4;
std::int64_t svd_in_turns(std::int64_t rows);

/// The elements from one block to the next. Not a multiple of 4 KiB, since stores to one block would then delay loads
/// from the other.
template <class T>
std::int64_t svd_block_stride(std::int64_t rows);

/// Powers of two. A matrix is multiplied by up[0] and up[1], so that its squares are far from both ends of the range;
/// singular values are multiplied by down[0] and down[1], and rounded once.
template <class T>
struct SvdScale {
  T up[2], down[2];
};
template <class T>
SvdScale<T> svd_scale(T largest, std::int64_t m, std::int64_t n);

/// Sets the scale of A, m n elements. Returns false where one of them is not finite.
template <class T>
bool find_svd_scale(const T* A, std::int64_t m, std::int64_t n, SvdScale<T>& scale);

/// A matrix [rows, columns] in memory: element (i, j) at data[i * row_step + j * column_step].
template <class T>
struct SvdView {
  T* data = nullptr;
  std::int64_t rows = 0, columns = 0, row_step = 0, column_step = 1;

  T& operator()(std::int64_t i, std::int64_t j) const { return data[i * row_step + j * column_step]; }
};

/// Makes the columns from `rank` on orthonormal, to each other and to those before. In each of these, the first of the
/// elements of largest magnitude is positive.
template <class T>
void complete_columns(const SvdView<T>& matrix, std::int64_t rank);

/// The first matrix with each kind of trouble, or -1.
struct SvdTrouble {
  std::int64_t not_finite = -1;
  std::int64_t not_converged = -1;
};

/// `count` blocks (an even number) that begin `stride` elements apart, each of `rows` rows and then `more_rows` that
/// are rotated with them but do not count for norms and dots; `rows` and `stride` are multiples of 4 rows and of 64
/// bytes.
template <class T>
struct SvdBlocks {
  T* data = nullptr;
  std::int64_t count = 0, stride = 0, rows = 0, more_rows = 0;
};

/// A large matrix is worked on in pieces, which threads share. How many there are, and the order in which their sums
/// are added, depends on the extent of the matrix alone, so that the number of threads does not change bits.
inline constexpr std::int64_t svd_max_pieces = 4;
constexpr std::int64_t svd_pieces(std::int64_t extent) {
  return extent >= 384 ? svd_max_pieces : 1;
}

/// Calls piece(context, i) once for each i below `count`, on at most so many threads.
void run_svd_pieces(std::size_t threads, std::int64_t count, void (*piece)(const void* context, std::int64_t i),
                    const void* context);

/// The part of a matrix that is left to factor: rows and columns from `first` on. The matrix is row-major; its rows
/// begin `stride` elements apart, on 64-byte boundaries.
template <class T>
struct SvdRest {
  T* data = nullptr;
  std::int64_t rows = 0, columns = 0, stride = 0, first = 0;
};

/// L D L^T, a positive definite tridiagonal matrix [n, n]: D the diagonal d [n], L the unit lower bidiagonal matrix
/// with l [n - 1] below its diagonal.
template <class T>
struct SvdTridiagonal {
  std::int64_t n = 0;
  const T *d = nullptr, *l = nullptr;
  std::size_t threads = 1;
};

/// A symmetric tridiagonal matrix [n, n]: its diagonal [n], and off_diagonal [n - 1] beside it.
template <class T>
struct SvdBands {
  std::int64_t n = 0;
  const T *diagonal = nullptr, *off_diagonal = nullptr;
  std::size_t threads = 1;
};

/// A symmetric matrix [n, n]: the triangle below its diagonal, and the whole squares of svd_lanes rows and columns on
/// the diagonal. Its rows begin `stride` elements apart, on 64-byte boundaries. Columns from n to the next such
/// boundary, and rows from n to the next multiple of 4, are 0.
template <class T>
struct SvdSymmetric {
  T* data = nullptr;
  std::int64_t n = 0, stride = 0;
  std::size_t threads = 1;
};

/// The columns of a matrix that are reduced before the others are brought up to date, and the elements before each row
/// that stand for the updates.
inline constexpr std::int64_t svd_panel = 16;
inline constexpr std::int64_t svd_ahead = 2 * svd_panel;

/// Columns first .. first + count - 1, at most svd_panel, of a matrix A [n, m], n <= m, that is reduced to lower
/// bidiagonal form. All pointers and strides are on 64-byte boundaries.
template <class T>
struct SvdPanel {
  T* data = nullptr;  ///< [n + 3, stride]: svd_ahead elements and A; 0 in rows from n and columns from m on
  std::int64_t n = 0, stride = 0, first = 0, count = 0;
  T* updates = nullptr;  ///< [svd_ahead + svd_max_pieces - 1, stride], finite
  T* left = nullptr;     ///< [n, left_stride], left_stride >= n + 3
  std::int64_t left_stride = 0;
  T* x = nullptr;  ///< [left_stride], finite
  std::size_t threads = 1;
};

/// The equation 1 + sum_j z_j^2 / (d_j^2 - x^2) = 0, whose n roots lie one between two d_j each, and above the last.
template <class T>
struct SvdSecular {
  std::int64_t n = 0;
  const T *d = nullptr, *z = nullptr;  ///< 0 = d_0 < d_1 < ...; no z_j is 0
  std::size_t threads = 1;
};

/// Its roots, in rising order: x_i^2 = pole_i^2 + offset_i. The pole is the d_j closer to the root.
template <class T>
struct SvdRoots {
  T *pole = nullptr, *offset = nullptr;
};

enum class SecularSide { left, right };

template <class T>
struct SvdKernels {
  /// Decomposes the matrices first <= b < last, at most `matrices_in_turns` of them, in `blocks` [elements_in_turns] on
  /// a 64-byte boundary.
  SvdTrouble (*batch)(const SvdBatch<T>& batch, T* blocks, std::int64_t first, std::int64_t last);

  /// Rotates by one-sided Jacobi until the columns are orthogonal to working precision. Returns the number of sweeps,
  /// or 0 where the limit was reached.
  int (*orthogonalize)(const SvdBlocks<T>& blocks, std::int64_t columns, int sweep_limit);

  /// Writes the squared norms of all `count` * svd_lanes columns.
  void (*squared_norms)(const SvdBlocks<T>& blocks, T* squares);

  /// Applies I - factor v v^T, v [rows - first], to the columns from `first` on (and to some before it). squares
  /// [stride] receives the squared norms of the columns below row `first`. With a factor of 0 it only computes the
  /// norms.
  void (*reflect)(const SvdRest<T>& rest, const T* v, T factor, T* squares);

  /// A = Q T Q^T: writes the diagonal [n] and off_diagonal [n - 1] of T; Q as xSYTRD does, a vector in each row to the
  /// right of the diagonal, and their factors [n - 1]. `work` has (3 + svd_max_pieces) stride elements, on a 64-byte
  /// boundary.
  void (*tridiagonalize)(const SvdSymmetric<T>& A, T* diagonal, T* off_diagonal, T* factors, T* work);

  /// Makes A H_first ... and H'_first ... A lower bidiagonal in the columns of the panel: writes their elements of
  /// diagonal [n] and off_diagonal [n - 1]. H_k = I - right_factors[k] v_k v_k^T, v_k in row k of A from column k on;
  /// H'_k = I - left_factors[k] u_k u_k^T, u_k in row k of `left` from k + 1 on. The rest of A remains to be brought up
  /// to date: from each row, the products of the first 2 count elements before it with the rows of `updates`.
  void (*bidiagonalize)(const SvdPanel<T>& panel, T* diagonal, T* off_diagonal, T* right_factors, T* left_factors);

  /// Writes the eigenvalues [n] of a positive definite tridiagonal matrix, in falling order, each to some units of
  /// roundoff of the largest. `work` has 7 n elements.
  void (*eigenvalues)(const SvdBands<T>& of, T* values, T* work);

  /// Writes the eigenvectors of the eigenvalues [n] into the columns of Z [n, n] and |L D L^T z - lambda z| of each
  /// into residuals [n], and brings the eigenvalues, which may be approximate, to some units of roundoff of themselves.
  /// `work` has 4 n svd_lanes elements for each of svd_pieces(n), on a 64-byte boundary. Vectors of eigenvalues that
  /// are close to each other need not be orthogonal: errors are some units of roundoff of lambda divided by the gap.
  void (*eigenvectors)(const SvdTridiagonal<T>& of, T* values, T* Z, T* residuals, T* work);

  /// Writes the roots, each to some units of roundoff of its offset, or NaN as the offset of one that was not found.
  void (*secular_roots)(const SvdSecular<T>& of, const SvdRoots<T>& to);

  /// Writes the z [n] of which these numbers are the roots exactly, but for some units of roundoff of each z.
  void (*secular_weights)(const SvdSecular<T>& of, const SvdRoots<T>& roots, T* weights);

  /// Writes the vector [n] of a root, of length 1: z_j / (d_j^2 - x^2), or d_j times that with -1 where d_j is 0. The d
  /// and z may be in any order.
  void (*secular_vector)(const SvdSecular<T>& of, T pole, T offset, SecularSide side, T* vector);
};

/// The inner loops for this set, or for the baseline on a machine that has avx2 without fused multiply-add.
template <class T>
const SvdKernels<T>& svd_kernels(InstructionSet set);

/// Columns are orthogonal when the cosine of the angle between any two is at most this: sqrt(columns) units of
/// roundoff.
template <class T>
T svd_tolerance(std::int64_t columns);

/// From this cosine on, a rotation makes columns more orthogonal: 2 units of roundoff.
template <class T>
inline constexpr T svd_worthwhile = sizeof(T) == 4 ? T(0x1p-23) : T(0x1p-52);

}  // namespace assay::metal::cpu
