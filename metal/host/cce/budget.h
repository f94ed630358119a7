// How many tokens or entries linear cross-entropy computes at a time, so that its intermediate results fit in the
// memory that the device has left.
//
//   left  = working set - memory allocated now - inputs, outputs and tables of this call
//   chunk = left / 4 / bytes of a position, rounded down
//
// On the production path a position is a token with its V logits as floats. A chunk takes at most 64 MiB, beyond which
// it is not faster, and has a multiple of 64 tokens up to 16384, or 32 if 64 do not fit.
//
// On the plain path a position is a token or an entry, with H floats for the sums of one row of a gradient and
// min(tokens, 16384) for a logit of each token. A chunk is a multiple of 256 within [1024, 16384].
//
// If even the smallest chunk does not fit, the device refuses the allocation.
#pragma once

#include <cstdint>

#include "metal/host/cce/statement.h"

namespace assay::metal::host {

/// In bytes.
struct CceMemory {
  std::uint64_t working_set = 0;  ///< recommended by the device; 0: unknown, and there is no limit
  std::uint64_t allocated = 0;    ///< on the device, now
  std::uint64_t needed = 0;       ///< by this call, for a chunk of any size
};

/// The bytes that a chunk may take: `asked`; if that is 0, a quarter of what is left, and at most 64 MiB on the
/// production path.
std::uint64_t cce_budget(KernelPath path, const CceMemory& memory, std::uint64_t asked);

/// The number of positions in a chunk.
std::uint64_t cce_chunk(const CceStatement& statement, std::uint64_t budget);

/// The rows in a block of the production path, of which `fitting` rows fit in memory.
std::uint64_t cce_block_rows(std::uint64_t fitting);

}  // namespace assay::metal::host
