// How a call divides its work: words into chunks, tokens into tiles and blocks, both over threads, within a budget of
// memory. All extents are in 64 bits.
//
//   chunk   words whose logits are computed at a time: their rows of weight stay in the caches for two products
//   tile    tokens that meet a chunk at a time
//   block   tokens whose sums for dhidden, one for each group of words, fit at once
//
// Threads form a grid of row_groups by vocab_groups. A group of words has sums for dhidden of its own, added up in
// order at the end, so that no result depends on which thread was faster.
#pragma once

#include <cstdint>

#include "metal/cpu/cce/choice.h"

namespace assay::metal::cpu {

/// begin <= i < end.
struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

/// The part of `all` that `index` of `count` takes; parts differ by at most one.
inline Range part_of(Range all, std::int64_t index, std::int64_t count) {
  const std::int64_t each = all.size() / count, more = all.size() % count;
  const std::int64_t begin = all.begin + index * each + (index < more ? index : more);
  return {begin, begin + each + (index < more ? 1 : 0)};
}

/// What a call needs to hold; sizes of elements in bytes.
struct CceNeeds {
  std::int64_t M = 0;  ///< tokens that are not ignored
  std::int64_t H = 1, V = 1;
  std::int64_t operand = 4;  ///< bytes of what the products take
  bool copies_hidden = false, copies_weight = false;
  bool float_outputs = true;  ///< the sums of gradients may be held where the gradients go
  bool stores = true;         ///< exponentials, in what the products take: outputs must be of that type
  bool dhidden = false, dweight = false, dbias = false;
};

struct CcePlan {
  std::int64_t threads = 1, row_groups = 1, vocab_groups = 1;
  std::int64_t chunk = 1, chunks = 1, tile_rows = 1;
  std::int64_t block_rows = 1;
  std::int64_t held_sums = 0;        ///< sums for dhidden in memory of our own: groups of words
  std::int64_t rows_in_dweight = 0;  ///< tokens whose exponentials the output dweight holds until it is written
  std::int64_t rows_in_memory = 0;   ///< and those in memory of our own

  Range words(std::int64_t index, std::int64_t V) const {
    const std::int64_t begin = index * chunk;
    return {begin, begin + chunk < V ? begin + chunk : V};
  }
};

/// The threads that are worth their waking for so much, where `asked` is 0; else as many as asked for.
std::int64_t cce_threads(int asked, const CceNeeds& needs);

CcePlan plan_cce(const CceNeeds& needs, std::int64_t threads, const CceChoice& choice);

}  // namespace assay::metal::cpu
