// The products of tiles of 32 by 64 logits.
//
//   scores [32, 64]  = own rows [32, H] times other rows [64, H], transposed
//   sums [32, H]    += scores [32, 64] times other rows [64, H]
//
// Rows are copied to threadgroup memory in slabs of 32 elements, as floats, with zeros past the edges. A sum over H is
// a sum of slabs, and a sum over the other rows a sum of tiles: short sums have small errors, and the fixed order gives
// equal bits on every device. The order within a product of simdgroup matrices is the hardware's, so none are used.
#pragma once

#include "../simdgroup.h"
#include "rows.h"

namespace assay {
namespace cce {

/// Rows are padded by four floats, so that neighbouring rows begin in different memory banks.
enum Stride { slab_stride = slab + 4, score_stride = tile_columns + 4 };

enum { tile_simdgroups = tile_threads / lane_count };

struct alignas(16) Tiles {
  float own[tile_rows * slab_stride];
  float others[tile_columns * slab_stride];
  float scores[tile_rows * score_stride];
  float largest[tile_simdgroups];  ///< RowShare::largest of each simdgroup
};

struct Place {
  uint index, simdgroup, lane;
};

inline float4 load_four(threadgroup const float* from) {
  return *(threadgroup const float4*)from;
}

/// A thread's elements of `rows` staged rows: one column of every fourth row.
template <int rows>
struct Staged {
  float at[rows / tile_simdgroups];
};

/// Elements h .. h + slab - 1 of rows begin .. begin + rows - 1, with zeros past the edges. They are loaded while the
/// slab before them is computed, because a load takes about as long; and all are loaded before one is converted.
template <int rows, class Rows>
Staged<rows> fetch(Rows from, uint begin, uint end, ulong h, Shape shape, Place place) {
  enum { count = rows / tile_simdgroups };
  typename Rows::Element elements[count];
  const ulong column = h + place.lane;
#pragma unroll
  for (uint n = 0; n < count; ++n) {
    const uint r = n * tile_simdgroups + place.simdgroup;
    elements[n] = typename Rows::Element(0.0f);
    if (r < end - begin && column < shape.H) elements[n] = from.at(begin + r, shape)[column];
  }
  Staged<rows> staged;
#pragma unroll
  for (uint n = 0; n < count; ++n) staged.at[n] = float(elements[n]);
  return staged;
}

template <int rows>
void store(Staged<rows> staged, threadgroup float* to, Place place) {
#pragma unroll
  for (uint n = 0; n < rows / tile_simdgroups; ++n)
    to[(n * tile_simdgroups + place.simdgroup) * slab_stride + place.lane] = staged.at[n];
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

/// The scores of one lane. A simdgroup computes 16 rows and 32 columns; a lane has every fourth row and every eighth
/// column of these.
struct Block {
  float at[4][4];
};

/// The first row and the first column of a lane's scores.
inline uint2 first_score(Place place) {
  return {place.simdgroup % 2 * 16 + place.lane / 8, place.simdgroup / 2 * 32 + place.lane % 8};
}

/// sum + a.b, as a chain of multiply-adds.
inline float add_product(float sum, float4 a, float4 b) {
  return fma(a.w, b.w, fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, sum))));
}

/// Adds the products of one slab. The loops over scores are unrolled, because registers cannot be indexed.
inline void add_slab(thread Block& sums, threadgroup const Tiles& tiles, uint width, uint2 first) {
  threadgroup const float* const own = tiles.own + first.x * slab_stride;
  threadgroup const float* const others = tiles.others + first.y * slab_stride;
  Block products = {};
  for (uint k = 0; k < width; k += 4) {
    float4 a[4], b[4];
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      a[n] = load_four(own + n * 4 * slab_stride + k);
      b[n] = load_four(others + n * 8 * slab_stride + k);
    }
#pragma unroll
    for (int r = 0; r < 4; ++r)
#pragma unroll
      for (int c = 0; c < 4; ++c) products.at[r][c] = add_product(products.at[r][c], a[r], b[c]);
  }
#pragma unroll
  for (int r = 0; r < 4; ++r)
#pragma unroll
    for (int c = 0; c < 4; ++c) sums.at[r][c] += products.at[r][c];
}

/// Computes the scores of own rows from `own` on and other rows from `other` on. A barrier must follow before other
/// threads read them.
template <class Role>
void multiply_rows(Role role, uint own, uint other, Shape shape, threadgroup Tiles& tiles, Place place) {
  const Extent extent = extent_of(role, own, other, shape);
  const uint2 first = first_score(place);
  const bool is_inside = first.x < extent.rows && first.y < extent.columns;
  const uint own_end = shape.first + shape.count, other_end = role.other_count(shape);
  Staged<tile_rows> own_rows = fetch<tile_rows>(role.owned(), own, own_end, 0, shape, place);
  Staged<tile_columns> other_rows = fetch<tile_columns>(role.others(), other, other_end, 0, shape, place);
  Block sums = {};
  for (ulong h = 0; h < shape.H; h += slab) {
    store(own_rows, tiles.own, place);
    store(other_rows, tiles.others, place);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    own_rows = fetch<tile_rows>(role.owned(), own, own_end, h + slab, shape, place);
    other_rows = fetch<tile_columns>(role.others(), other, other_end, h + slab, shape, place);
    if (is_inside) add_slab(sums, tiles, uint(min(ulong(slab), shape.H - h)), first);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  threadgroup float* const scores = tiles.scores + first.x * score_stride + first.y;
#pragma unroll
  for (int r = 0; r < 4; ++r)
#pragma unroll
    for (int c = 0; c < 4; ++c) scores[r * 4 * score_stride + c * 8] = sums.at[r][c];
}

/// The gradients of one lane in a slab. A simdgroup computes 16 rows and 16 columns; a lane has every fourth row and
/// two neighbouring columns of these.
struct Quarter {
  float2 at[4];
};

/// The scores of every fourth row from `row` on, times the staged rows in two columns from `column` on.
inline Quarter gradient_products(threadgroup const Tiles& tiles, uint row, uint column, Extent extent) {
  Quarter products = {};
  for (uint k = 0; k < extent.columns; k += 4) {
    float4 a[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) a[r] = load_four(tiles.scores + (row + r * 4) * score_stride + k);
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const float2 b = *(threadgroup const float2*)(tiles.others + (k + n) * slab_stride + column);
#pragma unroll
      for (int r = 0; r < 4; ++r) products.at[r] = fma(float2(a[r][n]), b, products.at[r]);
    }
  }
  return products;
}

/// sums [32, stride] = scores times the other rows from `other` on, or += if not `is_first`. `stride`: H rounded up to
/// slabs.
template <class Role>
void add_gradients(Role role, uint own, uint other, bool is_first, Shape shape, device float* sums, ulong stride,
                   threadgroup Tiles& tiles, Place place) {
  const uint row = place.simdgroup / 2 * 16 + place.lane / 8, column = place.simdgroup % 2 * 16 + place.lane % 8 * 2;
  const Extent extent = extent_of(role, own, other, shape);
  const uint other_end = role.other_count(shape);
  Staged<tile_columns> other_rows = fetch<tile_columns>(role.others(), other, other_end, 0, shape, place);
  for (ulong h = 0; h < shape.H; h += slab) {
    store(other_rows, tiles.others, place);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    other_rows = fetch<tile_columns>(role.others(), other, other_end, h + slab, shape, place);
    const Quarter products = gradient_products(tiles, row, column, extent);
#pragma unroll
    for (int r = 0; r < 4; ++r)
      if (row + r * 4 < extent.rows) {
        device float2* const sum = (device float2*)(sums + (row + r * 4) * stride + h + column);
        *sum = is_first ? products.at[r] : *sum + products.at[r];
      }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}

}  // namespace cce
}  // namespace assay
