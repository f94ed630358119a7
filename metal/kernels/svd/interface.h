// The interface between the host and the kernels of the singular value decomposition: buffer indices, function
// constants, and the contents of the buffers. Both compilers read it; reference/svd/problem.h states the problem.
//
// A wide matrix is transposed when it is loaded, and U and V are exchanged when they are stored. In between every
// matrix has `rows` rows and `columns` columns, rows >= columns. D is float, half or bfloat. One-sided Jacobi (M. R.
// Hestenes, J. SIAM 6, 1958): rotations V of the columns of A until all are orthogonal,
//
//   W = A V,   S = |columns of W|,   U = W / S
//
// The production path, in the order of its dispatches:
//
//   svd_load_D             a threadgroup per matrix: W = A, scaled, its columns sorted; V = I, sorted in the same way
//   svd_sweeps_T           a threadgroup per matrix, T threads per pair of columns: some sweeps
//   svd_finish_D           a threadgroup per matrix: S, U and Vh. Dispatches of some ranks each complete U: the first
//                          computes S, the last stores U and Vh
//
// svd_sweeps_T_threadgroup is svd_sweeps_T with W, and V if it fits, in threadgroup memory. More than 256 columns take,
// instead of svd_sweeps_T, a dispatch for each step of the round robin of blocks:
//
//   svd_block_rotate       a threadgroup per matrix and pair of blocks of 16 columns
//   svd_settle             after each sweep, a simdgroup per matrix: whether any pair was rotated
//
// The plain path, for any number of columns: a dispatch for each step of the round robin of columns.
//
//   svd_jacobi_rotate      a threadgroup per matrix and pair of columns
//   svd_settle             as above
//
// A sweep that rotates nothing is a matrix's last: status says so, and later dispatches that rotate leave the matrix
// alone. So any number of sweeps may be dispatched, and results do not depend on it.
//
// For the rSVD:
//
//   svd_multiply           a threadgroup per 16 x 16 elements of a product of two matrices
//
// The grid, in threadgroups:
//
//   load, finish           {B, 1, 1} of 32 to 1024 threads, a multiple of 32
//   sweeps                 {B, 1, 1} of T * padded / 2 threads, rounded up to a multiple of 32
//   block_rotate           {padded / 32, B, 1} of 512 threads
//   jacobi_rotate          {padded / 2, B, 1} of 32 to 1024 threads, a multiple of 32
//   settle                 {B, 1, 1} of 32 threads
//   multiply               {ceil(columns / 16), ceil(rows / 16), 1} of 256 threads
//
// Range. W is scaled by a power of two, so the scale of A does not matter: the largest element is in [2^(top-1),
// 2^top), where top is as large as the square of the largest norm allows, so that squares of much smaller numbers do
// not underflow. Columns are rotated, and singular values are accurate relative to themselves, down to a norm of 2^-38,
// which is 2^-(38+top) of the largest element: 2^-94 for 64 x 64, 2^-88 for 4096 x 4096. Columns below that count as 0
// and are not rotated: S is their norm, whose error is below that limit, and U is completed.
#pragma once

#ifdef __METAL_VERSION__
#include <metal_stdlib>
#else
#include <cstdint>
#endif

namespace assay {
namespace svd {

#ifdef __METAL_VERSION__
using namespace ::metal;
#endif

/// [[buffer(index)]], the same in every kernel except multiply. A kernel uses some of them.
enum BufferIndex {
  shape_index = 0,        ///< Shape, by set_bytes
  matrices_index = 1,     ///< A: D [B, M, N]
  work_index = 2,         ///< W: float [B, padded, rows], column after column
  rotations_index = 3,    ///< V: float [B, padded, columns], column after column
  exponents_index = 4,    ///< int32 [B]: W is A V times 2 to this power
  norms_index = 5,        ///< float [B, columns], of the columns of W
  order_index = 6,        ///< uint32 [B, columns]: columns in descending order of their norms
  status_index = 7,       ///< uint32 [B]: the sweeps, of which the last rotated nothing, or not_converged
  projections_index = 8,  ///< float [B, columns], for columns that are completed;
                          ///< svd_sweeps: uint32, a word for each simdgroup
  left_index = 9,         ///< U: D [B, M, K]
  values_index = 10,      ///< S: [B, K], the bits of floats, because arithmetic might flush subnormal numbers
  right_index = 11,       ///< Vh: D [B, K, N]
  rotated_index = 12,     ///< block_rotate, jacobi_rotate: uint32 [B, groups], rotations of a group in a sweep
};

/// [[buffer(index)]] of multiply.
enum ProductIndex {
  product_shape_index = 0,  ///< ProductShape, by set_bytes
  first_factor_index = 1,
  second_factor_index = 2,
  product_index = 3,
};

/// [[function_constant(index)]], a bool.
enum ConstantIndex {
  with_vectors_constant = 0,
  shares_rotations_constant = 1,  ///< svd_sweeps_N_threadgroup: V is in threadgroup memory beside W
};

enum Geometry {
  block_width = 16,  ///< columns of a block
  block_threads_per_pair = 32,
  shared_elements = 8192,  ///< the most floats in threadgroup memory: 32 KiB
  tile = 16,               ///< rows and columns of a product that a threadgroup of multiply computes
};

/// The distance of columns in threadgroup memory. The columns of four neighbouring pairs, each with 8 threads, are to
/// begin in different memory banks. So the distance is 8 more than a multiple of 16; or a multiple of 32, if that is
/// less, and then bits 3 and 4 of an element's index are exchanged by those of 8 j.
inline uint32_t shared_stride(uint32_t length) {
  const uint32_t padded = (length + 7) / 16 * 16 + 8, whole = (length + 31) / 32 * 32;
  return whole < padded ? whole : padded;
}
inline uint32_t shared_swizzle(uint32_t length) {
  return shared_stride(length) % 32 == 0 ? 24 : 0;
}

enum Status : uint32_t { not_converged = 0xffffffffu };

struct Shape {
  uint32_t rows;     ///< max(M, N)
  uint32_t columns;  ///< K = min(M, N)
  uint32_t padded;   ///< columns of W and V, zero past `columns`: an even number; for blocks a multiple of 32
  uint32_t is_wide;  ///< M < N
  int32_t top;
  uint32_t sweep;                 ///< of this dispatch the first, counted from 0
  uint32_t sweeps;                ///< in this dispatch: svd_sweeps
  uint32_t step;                  ///< of the round robin: jacobi_rotate, block_rotate
  uint32_t groups;                ///< that rotate the pairs of a matrix: settle
  uint32_t first_rank, end_rank;  ///< of this dispatch, in descending order of S: finish
};

/// C [rows, columns] = A B over `depth` terms. Element (i, k) of a factor is at i * row_stride + k * column_stride.
struct ProductShape {
  uint32_t rows, columns, depth;
  uint32_t first_row_stride, first_column_stride;
  uint32_t second_row_stride, second_column_stride;
  uint32_t shares_second;  ///< 1: all products have the same second factor
};

}  // namespace svd
}  // namespace assay
