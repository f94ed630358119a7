// Lines of the matrices that are multiplied: rows of hidden (a token each), of weight (an entry each), and of the
// scores of a block. Four neighbouring elements of a line are loaded and stored at once, where the line is aligned to
// four.
#pragma once

#include "../four.h"
#include "logit.h"

namespace assay {
namespace cce {

/// Elements at .. at + 3, of which those below `end` exist; the others are 0.
template <class D>
Four<D> load_four(device const D* line, ulong at, ulong end, bool is_aligned) {
  if (is_aligned && at + 4 <= end) return aligned_four(line, at);
  return assay::load_four(line, at, end, D(0.0f));
}

/// Rounds to elements at .. at + 3, of which those below `end` exist.
template <class D>
void store_four(float4 four, device D* line, ulong at, ulong end, bool is_aligned) {
  if (is_aligned && at + 4 <= end) return store_aligned_four(four, line, at);
  assay::store_four(four, line, at, end);
}

/// Whether the rows of a matrix [rows, H] are aligned to four elements.
inline bool has_aligned_rows(Shape shape) {
  return shape.H % 4 == 0;
}

/// Row i of hidden: that of token first_token + i.
template <class D>
struct TokenLines {
  using Element = D;
  device const Token* tokens;
  device const D* hidden;

  device const D* line(uint i, Shape shape) const { return row_of(hidden, tokens[shape.first_token + i].row, shape); }
  bool is_aligned(Shape shape) const { return has_aligned_rows(shape); }
};

/// Row v of weight: that of entry first_entry + v.
template <class D>
struct EntryLines {
  using Element = D;
  device const D* weight;

  device const D* line(uint v, Shape shape) const { return row_of(weight, shape.first_entry + v, shape); }
  bool is_aligned(Shape shape) const { return has_aligned_rows(shape); }
};

/// Row i of the scores of a block, [tokens, entries rounded up to a multiple of four].
template <class Score>
device Score* score_row(device Score* scores, uint i, Shape shape) {
  return scores + ulong(i) * ((shape.entries + 3) / 4 * 4);
}

struct ScoreLines {
  using Element = float;
  device const float* scores;

  device const float* line(uint i, Shape shape) const { return score_row(scores, i, shape); }
  bool is_aligned(Shape) const { return true; }
};

}  // namespace cce
}  // namespace assay
