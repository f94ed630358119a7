#include "validation/formula/sizes.h"

#include <algorithm>
#include <cmath>

#include "validation/core/sizes.h"

namespace assay::validation::formula {
namespace {

/// A multiple of the tile, at least one, such that the tail after it is within the limit.
std::int64_t multiple_of(Random& random, std::int64_t tile, std::int64_t tail, std::int64_t limit) {
  return tile * log_uniform(random, 1, std::max<std::int64_t>((limit - tail) / tile, 1));
}

}  // namespace

std::int64_t tail_of_a_tile(Random& random, std::int64_t limit) {
  const auto one_of = [&](const auto& some) {
    return some[static_cast<std::size_t>(random.integer(0, std::ssize(some) - 1))];
  };
  const std::int64_t tile = one_of(tile_widths), tail = one_of(tile_remainders);
  return std::min(multiple_of(random, tile, tail, limit) + tail, limit);
}

std::vector<std::int64_t> sizes_between(Random& random, std::int64_t limit, Reach reach) {
  std::vector<std::int64_t> sizes;
  const auto add = [&](std::int64_t size) {
    if (size <= limit && std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
  };
  if (reach == Reach::none) return sizes;
  const bool is_quick = reach == Reach::quick;
  // Each [a, 1.5 a] holds a whole stratum, whose ends are a factor of sqrt(1.5) apart.
  const double ratio = is_quick ? 1.5 : std::sqrt(1.5);
  for (double low = 2; low <= static_cast<double>(limit); low *= ratio) {
    const auto first = static_cast<std::int64_t>(std::ceil(low));
    const auto last = std::min(static_cast<std::int64_t>(std::ceil(low * ratio)) - 1, limit);
    if (first <= last) add(random.integer(first, last));
  }
  for (const std::int64_t tile : tile_widths) {
    const std::int64_t one = random.integer(1, 3);
    if (!is_quick || tile == 100 || tile == 128) add(multiple_of(random, tile, 0, limit));
    for (const std::int64_t tail : tile_remainders) {
      if (is_quick && tail > 0 && tail != one) continue;
      if (!is_quick) add(tile + tail);
      add(multiple_of(random, tile, tail, limit) + tail);
    }
  }
  return sizes;
}

}  // namespace assay::validation::formula
