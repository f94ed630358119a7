#include "metal/host/cce/budget.h"

#include <algorithm>
#include <limits>

namespace assay::metal::host {

namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max(), max_chunk = 16384;

/// a - b, or 0 if b is larger.
constexpr std::uint64_t difference(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : 0;
}

/// The bytes of a position that has so many sums and logits, saturated at 2^64 - 1.
std::uint64_t position_bytes(std::uint64_t sums, std::uint64_t logits) {
  return sums > unlimited / sizeof(float) - logits ? unlimited : (sums + logits) * sizeof(float);
}

}  // namespace

std::uint64_t cce_budget(KernelPath path, const CceMemory& memory, std::uint64_t asked) {
  if (asked != 0) return asked;
  const std::uint64_t max = path == KernelPath::production ? std::uint64_t{64} << 20 : unlimited;
  if (memory.working_set == 0) return max;
  return std::min(max, difference(difference(memory.working_set, memory.allocated), memory.needed) / 4);
}

std::uint64_t cce_block_rows(std::uint64_t fitting) {
  return std::clamp<std::uint64_t>(fitting / cce::tile * cce::tile, cce::slab, max_chunk);
}

std::uint64_t cce_chunk(const CceStatement& statement, std::uint64_t budget) {
  if (statement.path == KernelPath::production) return cce_block_rows(budget / position_bytes(0, statement.V));
  const std::uint64_t fitting = budget / position_bytes(statement.H, std::min(statement.M, max_chunk));
  return std::clamp<std::uint64_t>(fitting / 256 * 256, 1024, max_chunk);
}

}  // namespace assay::metal::host
