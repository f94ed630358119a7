#include "metal/host/cce/blocks.h"

#include <algorithm>

#include "metal/host/cce/budget.h"

namespace assay::metal::host {

namespace {

/// The number of entries that take the memory of a chunk of tokens.
std::uint64_t entries_of_chunk(const CceStatement& s) {
  return cce_block_rows(std::min(s.chunk, s.M) * s.V / s.M);
}

bool is_wanted(const CceWork& work) {
  return work.forward || work.dhidden || work.dweight || work.dbias;
}

}  // namespace

std::vector<CceBlock> cce_blocks(const CceStatement& s) {
  const bool takes_two_loops = s.type != "float" && s.chunk < s.M;
  CceWork of_tokens = s.work, of_entries;
  if (takes_two_loops) {
    of_tokens.dweight = of_tokens.dbias = false;
    of_entries = {.dweight = s.work.dweight, .dbias = s.work.dbias};
  }
  std::vector<CceBlock> blocks;
  for (std::uint64_t first = 0; is_wanted(of_tokens) && first < s.M; first += s.chunk)
    blocks.push_back({first, std::min(s.chunk, s.M - first), 0, s.V, of_tokens});
  const std::uint64_t step = takes_two_loops ? entries_of_chunk(s) : s.V;
  for (std::uint64_t first = 0; is_wanted(of_entries) && first < s.V; first += step)
    blocks.push_back({0, s.M, first, std::min(step, s.V - first), of_entries});
  return blocks;
}

}  // namespace assay::metal::host
