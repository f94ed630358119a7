// How a call divides its work within a budget of memory: vocabulary entries into chunks, tokens into tiles and blocks,
// both over threads. All extents have 64 bits.
//
// - A chunk has the entries whose logits are computed at a time: their rows of weight stay in the caches for two
//   products.
// - A tile has the tokens that are multiplied with a chunk at a time.
// - A block has the tokens whose sums for dhidden, one for each group of entries, fit in memory at once.
//
// Threads form a grid of row_groups by vocab_groups. A group of entries has sums for dhidden of its own, added up in
// order at the end, so that no result depends on which thread was faster.
#pragma once

#include <cstdint>

#include "metal/cpu/cce/tuning.h"

namespace assay::metal::cpu {

/// begin <= i < end.
struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

/// Part `index` of `all` divided into `count` parts, whose sizes differ by at most one.
inline Range part_of(Range all, std::int64_t index, std::int64_t count) {
  const std::int64_t each = all.size() / count, more = all.size() % count;
  const std::int64_t begin = all.begin + index * each + (index < more ? index : more);
  return {begin, begin + each + (index < more ? 1 : 0)};
}

/// The sizes on which the memory of a call depends. Sizes of elements are in bytes.
struct CceNeeds {
  std::int64_t M = 0;  ///< tokens that are not ignored
  std::int64_t H = 1, V = 1;
  std::int64_t operand = 4;  ///< bytes of an element of Operand
  bool copies_hidden = false, copies_weight = false;
  bool float_outputs = true;         ///< gradients may be summed in the outputs
  bool sums_dweight = false;         ///< dweight is summed in a tile
  std::int64_t rows_in_dweight = 0;  ///< tokens whose exponentials, which are Operand, the output can hold
  bool divides_tokens = true;        ///< whether the first pass sums dhidden: it can give threads tokens of their own
  bool dhidden = false, dweight = false, dbias = false;
};

struct CcePlan {
  std::int64_t threads = 1, row_groups = 1, vocab_groups = 1;
  std::int64_t chunk = 1, chunks = 1, tile_rows = 1;
  std::int64_t block_rows = 1;
  std::int64_t held_sums = 0;        ///< groups of entries whose sums for dhidden are in memory of the call
  std::int64_t rows_in_dweight = 0;  ///< tokens whose exponentials the output dweight holds until it is written
  std::int64_t rows_in_memory = 0;   ///< tokens whose exponentials are in memory of the call

  Range entries(std::int64_t index, std::int64_t V) const {
    const std::int64_t begin = index * chunk;
    return {begin, begin + chunk < V ? begin + chunk : V};
  }
};

/// Whether this call has so few tokens that its products are limited by memory.
bool few_tokens(std::int64_t N, const CceTuning& tuning);

/// The entries of a chunk whose rows of weight, of `row_bytes` each, stay in the caches for two products.
std::int64_t few_tokens_chunk(std::int64_t row_bytes, const CceTuning& tuning);

/// The number of threads. Where `asked` is 0: as many as have enough work to be worth waking.
std::int64_t cce_threads(int asked, const CceNeeds& needs);

/// The bytes that a call takes for tiles, sums and exponentials: 43 MiB, less half a MiB for each thread, which has
/// buffers for its products, but at least 2 MiB for each thread, whose tiles would become too small for fast products.
std::int64_t cce_budget(std::int64_t threads);

CcePlan plan_cce(const CceNeeds& needs, std::int64_t threads, const CceTuning& tuning);

}  // namespace assay::metal::cpu
