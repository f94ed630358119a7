#include "metal/cpu/cce/plan.h"

#include <algorithm>
#include <cstddef>

#include "metal/cpu/parallel.h"

namespace assay::metal::cpu {

namespace {

constexpr std::int64_t grain = 16;  // entries and tokens come in multiples of a cache line of floats

std::int64_t rounded_up(std::int64_t x, std::int64_t to) {
  return (x + to - 1) / to * to;
}

/// Bytes of one thread's tiles: of each entry, and of a tile without entries.
struct TileBytes {
  std::int64_t entry = 0, empty = 0;

  TileBytes(const CceNeeds& needs, std::int64_t rows) : entry(rows * 4 + 12), empty(needs.H * 12) {
    if (needs.operand != 4) entry += rows * needs.operand;
    if (needs.copies_weight) entry += needs.H * needs.operand;
    if (needs.sums_dweight && needs.dweight) entry += needs.H * 4;
    if (needs.copies_hidden) empty += rows * needs.H * needs.operand;
  }

  std::int64_t of(std::int64_t entries) const { return empty + entries * entry; }

  /// The entries that fit in so many bytes.
  std::int64_t fit(std::int64_t bytes) const { return std::max(grain, (bytes - empty) / entry / grain * grain); }
};

/// Chooses the largest tiles such that those of all threads fit in half of the budget, and chunks of equal size for all
/// threads. Chunks of 192 entries cost a few hundredths of the speed of products, tiles of fewer than 256 tokens more.
void choose_tiles(CcePlan& plan, const CceNeeds& needs, const CceTuning& tuning) {
  const std::int64_t most = std::min(rounded_up(tuning.chunk, grain), rounded_up(needs.V, grain));
  const std::int64_t enough = std::min<std::int64_t>(most, 192), share = tuning.budget / 2 / plan.threads;
  // Fewer rows leave more memory for exponentials, but where dweight is summed in the output, a tile must have as many
  // as that holds.
  const std::int64_t useful = std::max(needs.sums_dweight ? 0 : needs.H, tuning.tile_rows / 2);
  std::int64_t rows = std::min({tuning.tile_rows, useful, std::max<std::int64_t>(needs.M, 1)});
  TileBytes tile(needs, rows);
  while ((tile.fit(share) < enough && rows > 256) || (tile.fit(share) < 64 && rows > 64) ||
         (tile.of(grain) > share && rows > grain))
    tile = TileBytes(needs, rows = std::max(grain, rows / 2));
  const std::int64_t chunk = std::min(tile.fit(share), most);
  const std::int64_t rounds = rounded_up(needs.V, chunk * plan.threads) / chunk;
  plan.chunk = std::min(chunk, rounded_up((needs.V + rounds - 1) / rounds, grain));
  plan.chunks = (needs.V + plan.chunk - 1) / plan.chunk;
  plan.tile_rows = rows;
}

/// The sums for dhidden of so many groups of entries that lie in memory of the call. One group sums in the output.
std::int64_t held_sums(const CceNeeds& needs, std::int64_t groups) {
  return needs.dhidden ? groups - (needs.float_outputs ? 1 : 0) : 0;
}

/// Divides the threads over groups of entries and groups of tokens, so that as many as possible have work: over as
/// many groups of entries as have room for their sums of 1024 tokens, since weight is read once for each group of
/// tokens. A second pass with dhidden divides entries alone, and has smaller blocks.
void choose_grid(CcePlan& plan, const CceNeeds& needs, const CceTuning& tuning) {
  const std::int64_t M = std::max<std::int64_t>(needs.M, 1), room = tuning.budget / 4 / (needs.H * 4);
  const std::int64_t block = std::min<std::int64_t>(M, needs.divides_tokens ? 1024 : 128);
  for (std::int64_t groups = std::min(plan.threads, plan.chunks); groups > 0; --groups) {
    const std::int64_t rows = needs.divides_tokens ? std::min(plan.threads / groups, M) : 1;
    if (groups > 1 && held_sums(needs, groups) * block > room) continue;
    if (groups * rows <= plan.vocab_groups * plan.row_groups) continue;
    plan.vocab_groups = groups;
    plan.row_groups = rows;
  }
  plan.held_sums = held_sums(needs, plan.vocab_groups);
  plan.block_rows = plan.held_sums == 0 ? M : std::clamp(room / plan.held_sums, grain, rounded_up(M, grain));
}

void choose_storage(CcePlan& plan, const CceNeeds& needs, const CceTuning& tuning) {
  if (!needs.dweight && !needs.dbias) return;
  const std::int64_t sums = plan.held_sums * std::min(plan.block_rows, needs.M) * needs.H * 4;
  const std::int64_t tiles = TileBytes(needs, plan.tile_rows).of(plan.chunk) * plan.threads;
  const std::int64_t rest = std::max<std::int64_t>(tuning.budget - sums - tiles, 0);
  plan.rows_in_memory = std::min(needs.M, rest / (plan.chunks * plan.chunk * needs.operand));
  // Where dweight is summed in the output, the exponentials in it must be read before, in one tile.
  const std::int64_t at_once = needs.sums_dweight ? needs.M : plan.tile_rows;
  if (needs.dweight) plan.rows_in_dweight = std::min(needs.rows_in_dweight, at_once);
}

}  // namespace

bool few_tokens(std::int64_t N, const CceTuning& tuning) {
  return N <= tuning.few_tokens && N <= tuning.tile_rows / 2;
}

std::int64_t few_tokens_chunk(std::int64_t row_bytes, const CceTuning& tuning) {
  constexpr std::int64_t cached = std::int64_t{256} << 10;
  return std::clamp(cached / row_bytes, grain, std::max(grain, tuning.chunk));
}

std::int64_t cce_threads(int asked, const CceNeeds& needs) {
  constexpr double worthwhile = 1 << 20;  // multiplications per thread, about ten microseconds
  const auto workers = static_cast<std::int64_t>(worker_count(asked, static_cast<std::size_t>(needs.V)));
  if (asked != 0) return workers;
  const double work = static_cast<double>(needs.M) * static_cast<double>(needs.H) * static_cast<double>(needs.V);
  return work < worthwhile * static_cast<double>(workers) ? static_cast<std::int64_t>(work / worthwhile) + 1 : workers;
}

std::int64_t cce_budget(std::int64_t threads) {
  constexpr std::int64_t MiB = std::int64_t{1} << 20;
  return std::max(43 * MiB - threads * MiB / 2, threads * 2 * MiB);
}

CcePlan plan_cce(const CceNeeds& needs, std::int64_t threads, const CceTuning& tuning) {
  CcePlan plan;
  plan.threads = threads;
  choose_tiles(plan, needs, tuning);
  choose_grid(plan, needs, tuning);
  choose_storage(plan, needs, tuning);
  return plan;
}

}  // namespace assay::metal::cpu
