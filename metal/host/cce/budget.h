// How many tokens or entries a dispatch of linear cross-entropy works on: what it keeps in between is to fit into what
// the device has left.
//
//   left  = working set - allocated now - inputs, outputs and tables of this call
//   chunk = a quarter of left / bytes a position, at most 16384, a multiple of 256, at least 1024
//
// A position costs, in floats: H on the production path, for the sums of a row of a gradient; H + min(tokens, 16384) on
// the plain path, which has a logit of each of its tokens there besides. So more tokens mean a smaller chunk, down to
// the least; what does not fit then is for the device to refuse.
#pragma once

#include <cstdint>

#include "metal/host/kernel_path.h"

namespace assay::metal::host {

struct CceChunkRange {
  static constexpr std::uint64_t usual = 16384, least = 1024, multiple = 256;
};

/// In bytes.
struct CceMemory {
  std::uint64_t working_set = 0;  ///< that the device recommends; 0: it does not tell, and nothing is too much
  std::uint64_t allocated = 0;    ///< on the device, now
  std::uint64_t needed = 0;       ///< whatever the chunk
};

/// What a chunk may take: `asked`, or a quarter of what is left where that is 0.
std::uint64_t cce_budget(const CceMemory& memory, std::uint64_t asked);

/// Bytes of one position of a chunk. All that 64 bits hold where it is more.
std::uint64_t cce_position_bytes(KernelPath path, std::uint64_t H, std::uint64_t tokens);

/// Positions of a chunk.
std::uint64_t cce_chunk(std::uint64_t budget, std::uint64_t position_bytes);

}  // namespace assay::metal::host
