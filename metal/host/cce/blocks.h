// The blocks of tokens and entries that the production path computes one after the other.
//
// A block of some tokens and all entries is enough for their losses and dhidden. Its part of dweight and dbias is added
// to that of the blocks before, which takes a float: other types round each gradient once, so that these take blocks of
// some entries and all tokens, whose logits are computed a second time. A single block of all tokens does for both.
#pragma once

#include <cstdint>
#include <vector>

#include "metal/host/cce/statement.h"

namespace assay::metal::host {

/// Results of the work are those wanted of this block.
struct CceBlock {
  std::uint64_t first_token = 0, tokens = 0, first_entry = 0, entries = 0;
  CceWork work;

  /// Floats.
  std::uint64_t scores() const { return tokens * ((entries + 3) / 4 * 4); }
};

/// In order.
std::vector<CceBlock> cce_blocks(const CceStatement& statement);

}  // namespace assay::metal::host
