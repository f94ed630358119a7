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

/// A thread's tile of E or of dL/dz, as the products take it.
template <class Operand>
Matrix<const Operand> operand_tile(const CceTiles<Operand>& own, Range words) {
  if constexpr (std::is_same_v<Operand, float>) {
    return {own.logits.data(), words.size()};
  } else {
    return {own.G.data(), words.size()};
  }
}

/// Row i of the tile, which is done, also as the products take it.
template <class Operand>
void narrow_row(const CceElements& elements, const CceTiles<Operand>& own, Range words, std::int64_t i) {
  if constexpr (!std::is_same_v<Operand, float>)
    elements.narrow(own.G.data() + i * words.size(), own.logits.data() + i * words.size(),
                    static_cast<std::size_t>(words.size()));
}

/// Calls use(rows) for the tiles of `rows`.
template <class Use>
void for_each_tile(Range rows, std::int64_t tile_rows, const Use& use) {
  for (std::int64_t begin = rows.begin; begin < rows.end; begin += tile_rows)
    use(Range{begin, std::min(begin + tile_rows, rows.end)});
}

}  // namespace assay::metal::cpu
