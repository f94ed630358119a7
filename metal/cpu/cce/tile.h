// The logits of a tile of tokens by a chunk of words, and what becomes of them row by row.
#pragma once

#include <cstdint>
#include <span>

#include "metal/cpu/cce/call.h"

namespace assay::metal::cpu {

inline void merge(CceSums& sums, const CceSums& more) {
  sums.exponentials += more.exponentials;
  sums.logits += more.logits;
  sums.largest = std::max(sums.largest, more.largest);
  sums.finite = sums.finite && more.finite;
}

/// The row of a token but for its target, in the place of which `at_target` is written if the row keeps anything.
inline CceSums row_without_target(const CceElements& elements, float* logits, const float* bias, Range words,
                                  const CceToken& token, const CceRow& row, float at_target) {
  if (token.target < words.begin || token.target >= words.end)
    return elements.row(logits, static_cast<std::size_t>(words.size()), bias, row);
  const auto t = static_cast<std::size_t>(token.target - words.begin);
  CceSums sums = elements.row(logits, t, bias, row);
  if (row.keep) logits[t] = at_target;
  merge(sums, elements.row(logits + t + 1, static_cast<std::size_t>(words.size()) - t - 1, bias + t + 1, row));
  return sums;
}

/// The operand of the gradients' products: the tile itself where it is one, else rounded to `narrow`.
template <class Real, class Operand>
Matrix<const Operand> as_operand(const CceCall<Real, Operand>& call, Matrix<float> tile, Matrix<Operand> narrow,
                                 std::int64_t rows, std::int64_t words) {
  if constexpr (CceCall<Real, Operand>::narrow) {
    for (std::int64_t i = 0; i < rows; ++i)
      call.operands.round(narrow.data + i * narrow.stride, tile.data + i * tile.stride, static_cast<std::size_t>(words),
                          1.0, 0.0, nullptr);
    return {narrow.data, narrow.stride};
  } else {
    return {tile.data, tile.stride};
  }
}

/// Calls use(rows) for the tiles of `rows`, which also end at `seam`.
template <class Use>
void for_each_tile(Range rows, std::int64_t tile_rows, std::int64_t seam, const Use& use) {
  for (std::int64_t begin = rows.begin; begin < rows.end;) {
    std::int64_t end = std::min(begin + tile_rows, rows.end);
    if (begin < seam && seam < end) end = seam;
    use(Range{begin, end});
    begin = end;
  }
}

}  // namespace assay::metal::cpu
