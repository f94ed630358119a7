// From classes to labels and back, for a block of four frames at a time.
//
//   gather    y(t) of each label, from y(t) of each class
//   collect   N(t, c), the sum of alpha(t) beta(t) over the labels of class c
//
// Both go through a table in which the four frames of a class lie side by side: the slot of a label is looked up once
// for four frames, and four sums are added to at once. The blocks stay in the first cache, where a table of all frames
// would not stay in the second. For few classes there is a way without tables (few_classes.h, collect_few).
#pragma once

#include "metal/cpu/ctc/simd/scaled_row.h"

namespace assay::metal::cpu::ASSAY_SIMD {

using Four = double __attribute__((vector_size(32)));
using FourInMemory __attribute__((vector_size(32), aligned(8), may_alias)) = double;
static_assert(sizeof(Four) == block * sizeof(double));

/// Four rows of four.
struct Square {
  Four row[block];

  /// Loads row i from `from(i)`.
  template <class From>
  ASSAY_INLINE explicit Square(const From& from) {
    for (std::size_t i = 0; i < block; ++i) row[i] = *reinterpret_cast<const FourInMemory*>(from(i));
  }

  ASSAY_INLINE void transpose() {
    const Four even_01 = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
    const Four odd_01 = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
    const Four even_23 = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
    const Four odd_23 = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
    row[0] = __builtin_shufflevector(even_01, even_23, 0, 1, 4, 5);
    row[1] = __builtin_shufflevector(odd_01, odd_23, 0, 1, 4, 5);
    row[2] = __builtin_shufflevector(even_01, even_23, 2, 3, 6, 7);
    row[3] = __builtin_shufflevector(odd_01, odd_23, 2, 3, 6, 7);
  }

  /// Stores row i to `to(i)`.
  template <class To>
  ASSAY_INLINE void write(const To& to) const {
    for (std::size_t i = 0; i < block; ++i) *reinterpret_cast<FourInMemory*>(to(i)) = row[i];
  }
};

/// The last frame of the block that begins at t.
ASSAY_INLINE std::size_t last_of_block(const Scaled& row, std::size_t t) {
  return t + block <= row.T ? t + block - 1 : row.T - 1;
}

/// to(f) of each label from from(f) of each class, for each frame f of the block that begins at t.
template <class From, class To>
ASSAY_INLINE void gather_labels(const Scaled& row, std::size_t t, const From& from, const To& to) {
  const std::size_t last = last_of_block(row, t);
  double* interleaved = row.cells.interleaved.data();
  for (std::size_t k = 0; k < emission_stride(row.K); k += block) {
    Square y([&](std::size_t f) ASSAY_INLINE_LAMBDA { return from(t + f < last ? t + f : last) + k; });
    y.transpose();
    y.write([&](std::size_t j) ASSAY_INLINE_LAMBDA { return interleaved + block * (k + j); });
  }
  const std::uint64_t* slots = row.cells.slots.data();
  const std::size_t end = Live(last, row.T, row.S).end();
  for (std::size_t i = Live(t, row.T, row.S).begin(); i < end; i += block) {
    Square y([&](std::size_t j) ASSAY_INLINE_LAMBDA { return interleaved + block * slots[i + j]; });
    y.transpose();
    y.write([&](std::size_t f) ASSAY_INLINE_LAMBDA { return to(t + f) + i; });
  }
}

/// y(t) of each label in the frames of the block that begins at t.
ASSAY_INLINE void gather_labels(const Scaled& row, std::size_t t) {
  gather_labels(
      row, t, [&](std::size_t f) ASSAY_INLINE_LAMBDA { return row.y(f); },
      [&](std::size_t f) ASSAY_INLINE_LAMBDA { return row.of_labels(f); });
}

/// Sets the labels from `begin` to `end` that no step of frame t wrote to 0.
ASSAY_INLINE void clear_outside(const Scaled& row, std::size_t t, std::size_t begin, std::size_t end) {
  const Live live(t, row.T, row.S);
  for (std::size_t i = begin; i < live.begin(); i += lanes) set_zero(row.of_labels(t) + i);
  for (std::size_t i = live.end(); i < end; i += lanes) set_zero(row.of_labels(t) + i);
}

/// N(t) of few classes in the frames of the block that begins at t, without the tables: a sum for each frame is added
/// to side by side, since each waits for the store of the one before.
ASSAY_INLINE void collect_few(const Scaled& row, std::size_t t) {
  const std::size_t last = last_of_block(row, t), stride = emission_stride(row.K), width = ScaledCells::width(row.S);
  const std::size_t begin = Live(t, row.T, row.S).begin(), end = Live(last, row.T, row.S).end();
  double* numerators = row.cells.numerators.data();
  const double* products = row.cells.of_labels.data();
  const std::uint64_t* slots = row.cells.slots.data();
  for (std::size_t k = 0; k < block * stride; k += lanes) set_zero(numerators + k);
  for (std::size_t f = t; f <= last; ++f) clear_outside(row, f, begin, end);
  for (std::size_t i = begin; i < (end < row.S ? end : row.S); ++i) {
    double sums[block];
    for (std::size_t f = 0; f < block; ++f) sums[f] = numerators[f * stride + slots[i]] + products[f * width + i];
    for (std::size_t f = 0; f < block; ++f) numerators[f * stride + slots[i]] = sums[f];
  }
  for (std::size_t f = t; f <= last; ++f) row.numerators(f)[row.blank] = row.cells.blank_totals.data()[f];
}

/// N(t) of each class in the frames of the block that begins at t.
ASSAY_INLINE void collect(const Scaled& row, std::size_t t) {
  const std::size_t last = last_of_block(row, t);
  const std::size_t begin = Live(t, row.T, row.S).begin(), end = Live(last, row.T, row.S).end();
  double* interleaved = row.cells.interleaved.data();
  for (std::size_t k = 0; k < block * emission_stride(row.K); k += lanes) set_zero(interleaved + k);
  for (std::size_t f = t; f <= last; ++f) clear_outside(row, f, begin, end);
  const std::uint64_t* slots = row.cells.slots.data();
  for (std::size_t i = begin; i < end; i += block) {
    Square products([&](std::size_t f) ASSAY_INLINE_LAMBDA { return row.of_labels(t + f) + i; });
    products.transpose();
    for (std::size_t j = 0; j < block; ++j)
      *reinterpret_cast<FourInMemory*>(interleaved + block * slots[i + j]) += products.row[j];
  }
  for (std::size_t k = 0; k < emission_stride(row.K); k += block) {
    Square sums([&](std::size_t j) ASSAY_INLINE_LAMBDA { return interleaved + block * (k + j); });
    sums.transpose();
    sums.write([&](std::size_t f) ASSAY_INLINE_LAMBDA { return row.numerators(t + f) + k; });
  }
  for (std::size_t f = t; f <= last; ++f) row.numerators(f)[row.blank] = row.cells.blank_totals.data()[f];
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
