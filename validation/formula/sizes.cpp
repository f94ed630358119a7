#include "validation/formula/sizes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::validation::formula {
namespace {

constexpr std::array<std::int64_t, 12> tiles = {24, 32, 48, 64, 80, 96, 100, 112, 128, 160, 192, 256};

/// A multiple of the tile, at least one, such that the tail after it is within the limit.
std::int64_t multiple_of(Random& random, std::int64_t tile, std::int64_t tail, std::int64_t limit) {
  return tile * log_uniform(random, 1, std::max<std::int64_t>((limit - tail) / tile, 1));
}

}  // namespace

std::int64_t log_uniform(Random& random, std::int64_t low, std::int64_t high) {
  const double drawn = random.real(std::log(static_cast<double>(low)), std::log(static_cast<double>(high) + 1));
  return std::clamp(static_cast<std::int64_t>(std::exp(drawn)), low, high);
}

std::int64_t tail_of_a_tile(Random& random, std::int64_t limit) {
  const std::int64_t tile = tiles[static_cast<std::size_t>(random.integer(0, std::ssize(tiles) - 1))];
  const std::int64_t tail = random.pick<std::int64_t>({-1, 1, 2, 3});
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
  for (const std::int64_t tile : tiles) {
    const std::int64_t one = random.integer(1, 3);
    for (const std::int64_t tail : {-1, 1, 2, 3}) {
      if (is_quick && tail > 0 && tail != one) continue;
      if (!is_quick) add(tile + tail);
      add(multiple_of(random, tile, tail, limit) + tail);
    }
  }
  return sizes;
}

}  // namespace assay::validation::formula
