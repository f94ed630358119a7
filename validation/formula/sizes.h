// The sizes at which extents are tried, between the powers of two: tails of tiles, round sizes, and log-uniform ones.
#pragma once

#include <cstdint>
#include <vector>

#include "validation/core/random.h"
#include "validation/core/reach.h"

namespace assay::validation::formula {

/// One more than, two more, three more or one less than a multiple of a tile that kernels use, at most `limit`.
std::int64_t tail_of_a_tile(Random& random, std::int64_t limit);

/// The sizes to try of an extent, up to `limit`, the most needed first. `full`: a size in each [a, 1.5 a] from 2 on,
/// a multiple of each tile, and each tail of each tile after one tile and after more. `quick`: a size in each [a, 2.25 a],
/// multiples of 100 and of 128, and for each tile one tail and one size below a multiple. `none`: nothing.
std::vector<std::int64_t> sizes_between(Random& random, std::int64_t limit, Reach reach);

}  // namespace assay::validation::formula
