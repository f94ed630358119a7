#include "metal/host/cce/budget.h"

#include <algorithm>
#include <limits>

namespace assay::metal::host {

namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// a - b, or 0 if b is larger.
constexpr std::uint64_t difference(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : 0;
}

}  // namespace

std::uint64_t cce_budget(KernelPath path, const CceMemory& memory, std::uint64_t asked) {
  if (asked != 0) return asked;
  const std::uint64_t max = path == KernelPath::production ? std::uint64_t{64} << 20 : unlimited;
  if (memory.working_set == 0) return max;
  return std::min(max, difference(difference(memory.working_set, memory.allocated), memory.needed) / 4);
}

std::uint64_t cce_position_bytes(KernelPath path, std::uint64_t H, std::uint64_t tokens) {
  const std::uint64_t logits = path == KernelPath::plain ? std::min(tokens, CceChunkRange::max) : 0;
  return H > unlimited / sizeof(float) - logits ? unlimited : (H + logits) * sizeof(float);
}

std::uint64_t cce_chunk(std::uint64_t budget, std::uint64_t position_bytes) {
  const std::uint64_t fitting = budget / std::max<std::uint64_t>(position_bytes, 1);
  return std::clamp(fitting / CceChunkRange::multiple * CceChunkRange::multiple, CceChunkRange::min,
                    CceChunkRange::max);
}

}  // namespace assay::metal::host
