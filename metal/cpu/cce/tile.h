// The logits of a tile of tokens and a chunk of entries, and what is computed from each row.
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

/// The sums of a row without its target. If the row is kept, the place of the target becomes `at_target`.
inline CceSums row_without_target(const CceElements& elements, float* logits, const float* bias, Range entries,
                                  const CceToken& token, const CceRow& row, float at_target) {
  if (token.target < entries.begin || token.target >= entries.end)
    return elements.row(logits, static_cast<std::size_t>(entries.size()), bias, row);
  const auto t = static_cast<std::size_t>(token.target - entries.begin);
  CceSums sums = elements.row(logits, t, bias, row);
  if (row.keep) logits[t] = at_target;
  merge(sums, elements.row(logits + t + 1, static_cast<std::size_t>(entries.size()) - t - 1, bias + t + 1, row));
  return sums;
}

/// A thread's tile of E or of dL/dz, as a factor of a product.
template <class Operand>
Matrix<const Operand> operand_tile(const CceTiles<Operand>& own, Range entries) {
  if constexpr (std::is_same_v<Operand, float>) {
    return {own.logits.data(), entries.size()};
  } else {
    return {own.G.data(), entries.size()};
  }
}

/// Converts row i of the tile, which is complete, to Operand.
template <class Operand>
void narrow_row(const CceElements& elements, const CceTiles<Operand>& own, Range entries, std::int64_t i) {
  if constexpr (!std::is_same_v<Operand, float>)
    elements.narrow(own.G.data() + i * entries.size(), own.logits.data() + i * entries.size(),
                    static_cast<std::size_t>(entries.size()));
}

/// Calls use(rows) for the tiles of `rows`.
template <class Use>
void for_each_tile(Range rows, std::int64_t tile_rows, const Use& use) {
  for (std::int64_t begin = rows.begin; begin < rows.end; begin += tile_rows)
    use(Range{begin, std::min(begin + tile_rows, rows.end)});
}

}  // namespace assay::metal::cpu
