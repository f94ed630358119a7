// How many tokens or entries one dispatch of linear cross-entropy computes, so that its intermediate results fit in the
// memory that the device has left.
//
//   left  = working set - memory allocated now - inputs, outputs and tables of this call
//   chunk = left / 4 / bytes of a position, rounded down to a multiple of 256, within [1024, 16384]
//
// On the production path it takes at most 64 MiB, beyond which it is not faster.
//
// A position is a token or an entry. It takes H floats on the production path, for the sums of one row of a gradient,
// and H + min(tokens, 16384) floats on the plain path, which also keeps a logit for each token. If even the smallest
// chunk does not fit, the device refuses the allocation.
#pragma once

#include <cstdint>

#include "metal/host/kernel_path.h"

namespace assay::metal::host {

struct CceChunkRange {
  static constexpr std::uint64_t max = 16384, min = 1024, multiple = 256;
};

/// In bytes.
struct CceMemory {
  std::uint64_t working_set = 0;  ///< recommended by the device; 0: unknown, and there is no limit
  std::uint64_t allocated = 0;    ///< on the device, now
  std::uint64_t needed = 0;       ///< by this call, for a chunk of any size
};

/// The bytes that a chunk may take: `asked`; if that is 0, a quarter of what is left, and at most 64 MiB on the
/// production path.
std::uint64_t cce_budget(KernelPath path, const CceMemory& memory, std::uint64_t asked);

/// The bytes of one position of a chunk, saturated at 2^64 - 1.
std::uint64_t cce_position_bytes(KernelPath path, std::uint64_t H, std::uint64_t tokens);

/// The number of positions in a chunk.
std::uint64_t cce_chunk(std::uint64_t budget, std::uint64_t position_bytes);

}  // namespace assay::metal::host
