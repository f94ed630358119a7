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

/// Bytes of one thread's tiles.
std::int64_t tile_bytes(const CceNeeds& needs, std::int64_t chunk, std::int64_t rows) {
  const std::int64_t narrow = needs.operand == 4 ? 0 : needs.operand;
  std::int64_t bytes = rows * chunk * (4 + narrow) + needs.H * 12 + chunk * 12;
  if (needs.copies_hidden) bytes += rows * needs.H * needs.operand;
  if (needs.copies_weight) bytes += chunk * needs.H * needs.operand;
  if (needs.sums_dweight && needs.dweight) bytes += chunk * needs.H * 4;
  return bytes;
}

/// Chooses the largest tiles such that those of all threads fit in half of the budget, and chunks of equal size for all
/// threads.
void choose_tiles(CcePlan& plan, const CceNeeds& needs, const CceTuning& tuning) {
  std::int64_t chunk = std::min(rounded_up(tuning.chunk, grain), rounded_up(needs.V, grain));
  // Fewer rows leave more memory for exponentials, but a tile must have as many as dweight can hold.
  const std::int64_t useful = std::max(needs.H, tuning.tile_rows / 2);
  std::int64_t rows = std::min({tuning.tile_rows, useful, std::max<std::int64_t>(needs.M, 1)});
  while (tile_bytes(needs, chunk, rows) * plan.threads > tuning.budget / 2 && (chunk > grain || rows > grain)) {
    if (rows > chunk || chunk == grain) {
      rows = std::max(grain, rows / 2);
    } else {
      chunk = std::max(grain, rounded_up(chunk / 2, grain));
    }
  }
  const std::int64_t rounds = rounded_up(needs.V, chunk * plan.threads) / chunk;
  plan.chunk = std::min(chunk, rounded_up((needs.V + rounds - 1) / rounds, grain));
  plan.chunks = (needs.V + plan.chunk - 1) / plan.chunk;
  plan.tile_rows = rows;
}

/// Chooses as many groups of entries as have room for their sums of 512 tokens; the threads left over divide the
/// tokens.
void choose_grid(CcePlan& plan, const CceNeeds& needs, const CceTuning& tuning) {
  const std::int64_t M = std::max<std::int64_t>(needs.M, 1), room = tuning.budget / 4 / (needs.H * 4);
  const std::int64_t in_output = needs.float_outputs ? 1 : 0;
  std::int64_t groups = std::min(plan.threads, plan.chunks);
  while (needs.dhidden && groups > 1 && (groups - in_output) * std::min<std::int64_t>(M, 512) > room) --groups;
  plan.vocab_groups = groups;
  plan.row_groups = std::min(std::max<std::int64_t>(plan.threads / groups, 1), M);
  plan.held_sums = needs.dhidden ? groups - in_output : 0;
  plan.block_rows = plan.held_sums == 0 ? M : std::clamp(room / plan.held_sums, grain, rounded_up(M, grain));
}

void choose_storage(CcePlan& plan, const CceNeeds& needs, const CceTuning& tuning) {
  if (!needs.dweight && !needs.dbias) return;
  const std::int64_t sums = plan.held_sums * std::min(plan.block_rows, needs.M) * needs.H * 4;
  const std::int64_t tiles = tile_bytes(needs, plan.chunk, plan.tile_rows) * plan.threads;
  const std::int64_t rest = std::max<std::int64_t>(tuning.budget - sums - tiles, 0);
  plan.rows_in_memory = std::min(needs.M, rest / (plan.chunks * plan.chunk * needs.operand));
  if (needs.dweight && needs.stores_in_dweight) plan.rows_in_dweight = std::min(needs.H, plan.tile_rows);
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
  constexpr std::int64_t each = std::int64_t{11} << 20;
  return each * std::max<std::int64_t>(threads, 4);
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
