// The products of tiles of 32 by 64 logits, with the 8 x 8 matrices of simdgroups.
//
//   scores [32, 64]  = own rows [32, H] times other rows [64, H], transposed
//   sums [32, H]    += scores [32, 64] times other rows [64, H]
//
// Rows are copied to threadgroup memory in slabs of 32 elements, as floats, with zeros past the edges. A sum over H is
// a sum of slabs, and a sum over the other rows a sum of tiles: short sums have small errors, and the fixed order gives
// equal bits.
#pragma once

#include "../simdgroup.h"
#include "rows.h"

namespace assay {
namespace cce {

using Matrix = simdgroup_float8x8;

/// Rows are padded by four floats, so that neighbouring rows begin in different memory banks.
enum Stride { slab_stride = slab + 4, score_stride = tile_columns + 4 };

enum { tile_simdgroups = tile_threads / lane_count };

struct Tiles {
  float own[tile_rows * slab_stride];
  float others[tile_columns * slab_stride];
  float scores[tile_rows * score_stride];
  float largest[tile_simdgroups];  ///< RowShare::largest of each simdgroup
};

struct Place {
  uint index, simdgroup, lane;
};

inline Matrix zeros() {
  return make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
}

inline void add_to(thread Matrix& sum, Matrix x) {
  sum.thread_elements()[0] += x.thread_elements()[0];
  sum.thread_elements()[1] += x.thread_elements()[1];
}

/// Copies elements h .. h + slab - 1 of rows begin .. begin + rows - 1 that are below `end`. A lane copies a column.
template <class Rows>
void stage(Rows from, uint begin, uint end, uint rows, ulong h, Shape shape, threadgroup float* to, Place place) {
  const ulong column = h + place.lane;
#pragma unroll
  for (uint n = 0; n < rows / tile_simdgroups; ++n) {
    const uint r = n * tile_simdgroups + place.simdgroup;
    const bool is_inside = r < end - begin && column < shape.H;
    to[r * slab_stride + place.lane] = is_inside ? float(from.at(begin + r, shape)[column]) : 0.0f;
  }
}

/// The part of a tile that a simdgroup computes: 16 rows and 32 columns.
struct Block {
  Matrix at[2][4];
};

inline Block no_block() {
  Block block;
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 4; ++c) block.at[r][c] = zeros();
  return block;
}

/// The own and the other rows of a tile that exist; fewer at an edge.
struct Extent {
  uint rows, columns;
};

template <class Role>
Extent extent_of(Role role, uint own, uint other, Shape shape) {
  return {min(shape.first + shape.count - own, uint(tile_rows)),
          min(role.other_count(shape) - other, uint(tile_columns))};
}

/// The products of one slab. At an edge, 8 x 8 matrices that are entirely past the extent are left out; elsewhere there
/// are no branches, and products are computed side by side. The loops over matrices are unrolled, because registers
/// cannot be indexed.
template <bool is_edge>
Block slab_products(threadgroup const Tiles& tiles, uint width, Extent extent, Place place) {
  const uint row = place.simdgroup % 2 * 16, column = place.simdgroup / 2 * 32;
  threadgroup const float* const own = tiles.own + row * slab_stride;
  threadgroup const float* const others = tiles.others + column * slab_stride;
  Block products = no_block();
  for (uint k = 0; k < width; k += 8) {
    Matrix a[2], b;
#pragma unroll
    for (int r = 0; r < 2; ++r) simdgroup_load(a[r], own + r * 8 * slab_stride + k, slab_stride);
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      if (is_edge && column + c * 8 >= extent.columns) break;
      simdgroup_load(b, others + c * 8 * slab_stride + k, slab_stride, ulong2(0), true);
#pragma unroll
      for (int r = 0; r < 2; ++r)
        if (!is_edge || row + r * 8 < extent.rows)
          simdgroup_multiply_accumulate(products.at[r][c], a[r], b, products.at[r][c]);
    }
  }
  return products;
}

/// Computes the scores of own rows from `own` on and other rows from `other` on. A barrier must follow before other
/// threads read them.
template <class Role>
void multiply_rows(Role role, uint own, uint other, Shape shape, threadgroup Tiles& tiles, Place place) {
  const Extent extent = extent_of(role, own, other, shape);
  const bool is_edge = extent.rows < tile_rows || extent.columns < tile_columns;
  Block sums = no_block();
  for (ulong h = 0; h < shape.H; h += slab) {
    stage(role.owned(), own, shape.first + shape.count, tile_rows, h, shape, tiles.own, place);
    stage(role.others(), other, role.other_count(shape), tile_columns, h, shape, tiles.others, place);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const uint width = uint(min(ulong(slab), shape.H - h));
    const Block products =
        is_edge ? slab_products<true>(tiles, width, extent, place) : slab_products<false>(tiles, width, extent, place);
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 4; ++c) add_to(sums.at[r][c], products.at[r][c]);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  threadgroup float* const scores = tiles.scores + place.simdgroup % 2 * 16 * score_stride + place.simdgroup / 2 * 32;
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 4; ++c) simdgroup_store(sums.at[r][c], scores + r * 8 * score_stride + c * 8, score_stride);
}

/// The part of a slab of gradients that a simdgroup computes: 16 rows and 16 columns.
struct Quarter {
  Matrix at[2][2];
};

/// Scores of 16 rows from `row` on, times the staged rows in 16 columns from `column` on.
inline Quarter gradient_products(threadgroup const Tiles& tiles, uint row, uint column, Extent extent) {
  Quarter products = {{{zeros(), zeros()}, {zeros(), zeros()}}};
  for (uint k = 0; k < extent.columns; k += 8) {
    Matrix a[2], b;
#pragma unroll
    for (int r = 0; r < 2; ++r) simdgroup_load(a[r], tiles.scores + (row + r * 8) * score_stride + k, score_stride);
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      simdgroup_load(b, tiles.others + k * slab_stride + column + c * 8, slab_stride);
#pragma unroll
      for (int r = 0; r < 2; ++r) simdgroup_multiply_accumulate(products.at[r][c], a[r], b, products.at[r][c]);
    }
  }
  return products;
}

/// sums [32, stride] = scores times the other rows from `other` on, or += if not `is_first`. `stride`: H rounded up to
/// slabs.
template <class Role>
void add_gradients(Role role, uint own, uint other, bool is_first, Shape shape, device float* sums, ulong stride,
                   threadgroup Tiles& tiles, Place place) {
  const uint row = place.simdgroup / 2 * 16, column = place.simdgroup % 2 * 16;
  const Extent extent = extent_of(role, own, other, shape);
  for (ulong h = 0; h < shape.H; h += slab) {
    stage(role.others(), other, role.other_count(shape), tile_columns, h, shape, tiles.others, place);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const Quarter products = gradient_products(tiles, row, column, extent);
#pragma unroll
    for (int r = 0; r < 2; ++r)
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        if (row + r * 8 >= extent.rows || h + column + c * 8 >= shape.H) continue;
        Matrix sum = zeros();
        device float* const place_of_sum = sums + (row + r * 8) * stride + h + column + c * 8;
        if (!is_first) simdgroup_load(sum, place_of_sum, stride);
        add_to(sum, products.at[r][c]);
        simdgroup_store(sum, place_of_sum, stride);
      }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}

}  // namespace cce
}  // namespace assay
