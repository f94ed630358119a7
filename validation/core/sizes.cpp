#include "validation/core/sizes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <ranges>

#include "validation/core/shuffle.h"

namespace assay::validation {
namespace {

/// The most that a size may be of the one before plus 1.
constexpr double widest_step = 1.5;

/// The smallest size for tiles in a quick run, between the few that needle_sizes has.
constexpr std::int64_t quick_tiled_min = 257;

/// A remainder that sizes should have by a tile's width.
struct Remainder {
  std::int64_t tile, remainder;
  bool is_of(std::int64_t size) const { return (size - remainder) % tile == 0; }
};

std::vector<Remainder> remainders_due(Reach reach, Random& random) {
  const std::int64_t one = random.integer(1, 3);
  std::vector<Remainder> due;
  for (const std::int64_t tile : tile_widths)
    for (const std::int64_t remainder : tile_remainders)
      if (reach != Reach::quick || remainder == one) due.push_back({tile, remainder});
  return due;
}

/// Adds sizes from `low` to `high` that have all remainders: greedily the candidate that has most of those left.
void add_tiled(std::vector<std::int64_t>& sizes, std::vector<Remainder> due, std::int64_t low, std::int64_t high,
               Random& random) {
  std::erase_if(due, [&](const Remainder& one) { return one.tile + one.remainder > high; });
  std::vector<std::int64_t> candidates;
  for (int i = 0; i < 1000 && low <= high; ++i) candidates.push_back(log_uniform(random, low, high));
  for (const Remainder& one : due)  // so that each remainder has a candidate
    candidates.push_back(one.remainder + one.tile * random.integer(1, (high - one.remainder) / one.tile));
  while (!due.empty()) {
    const auto left = [&](std::int64_t size) {
      return std::ranges::count_if(due, [&](const Remainder& one) { return one.is_of(size); });
    };
    sizes.push_back(std::ranges::max(candidates, {}, left));
    std::erase_if(due, [&](const Remainder& one) { return one.is_of(sizes.back()); });
  }
}

void sort_once(std::vector<std::int64_t>& sizes) {
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
}

std::int64_t times(double factor, std::int64_t size) {
  return static_cast<std::int64_t>(factor * static_cast<double>(size));
}

/// Adds sizes until each is at most widest_step times the one before plus 1. `sizes` ascend.
void fill_gaps(std::vector<std::int64_t>& sizes, Random& random) {
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    const std::int64_t first = sizes[i - 1] + 1;
    if (sizes[i] > times(widest_step, first))
      sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(i),
                   random.integer(times(1.42, first), times(widest_step, first)));
  }
}

/// The largest ratio of the ends of an interval from which one size is drawn.
constexpr double spread_ratio = 16;

/// `size` or less, not below `low`: a power of two, or a multiple of a width that people choose.
std::int64_t rounded_size(Random& random, std::int64_t size, std::int64_t low) {
  const std::int64_t unit = random.pick<std::int64_t>({1, 32, 100, 128});
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(size)));
  const std::int64_t rounded = unit == 1 ? power : size / unit * unit;
  return rounded < low ? size : rounded;
}

/// A number drawn from interval `i` of the `count` intervals of equal ratio into which [low, high] is divided.
std::int64_t drawn_of_interval(Random& random, std::int64_t i, std::int64_t count, std::int64_t low,
                               std::int64_t high) {
  const auto first = static_cast<double>(low);
  const double whole = std::log(static_cast<double>(high) / first) / static_cast<double>(count);
  const auto end = [&](std::int64_t at) {
    return std::clamp(static_cast<std::int64_t>(first * std::exp(whole * static_cast<double>(at))), low, high);
  };
  return chosen_size(random, end(i), end(i + 1));
}

}  // namespace

std::int64_t log_uniform(Random& random, std::int64_t low, std::int64_t high) {
  const double drawn = random.real(std::log(static_cast<double>(low)), std::log(static_cast<double>(high + 1)));
  return std::clamp(static_cast<std::int64_t>(std::exp(drawn)), low, high);
}

std::int64_t chosen_size(Random& random, std::int64_t low, std::int64_t high) {
  const std::int64_t size = log_uniform(random, low, high);
  return random.chance(1.0 / 3) ? rounded_size(random, size, low) : size;
}

std::vector<std::int64_t> spread_sizes(Random& random, std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> sizes;
  if (low > high) return sizes;
  const double ratio = static_cast<double>(high) / static_cast<double>(low);
  const auto count = std::max<std::int64_t>(1, std::llround(std::ceil(std::log(ratio) / std::log(spread_ratio))));
  for (std::int64_t i = 0; i < count; ++i) sizes.push_back(drawn_of_interval(random, i, count, low, high));
  return sizes;
}

std::vector<std::int64_t> reference_sizes(const NeedleExtent& extent, Reach reach, std::uint64_t seed) {
  std::vector<std::int64_t> sizes = needle_sizes(extent, reach, true);
  if (reach == Reach::none) return sizes;
  Random random(seed + static_cast<std::uint64_t>(extent.index));
  const std::int64_t high = std::min(extent.max + 1, pair_max);
  add_tiled(sizes, remainders_due(Reach::quick, random), std::min(quick_tiled_min, high), high, random);
  if (reach == Reach::quick) {
    const bool is_slow = extent.dense_max < extent.max;
    const std::int64_t last = is_slow ? std::min(8 * high, extent.max) : extent.max;
    std::ranges::copy(spread_sizes(random, high + 1, last), std::back_inserter(sizes));
  } else {
    add_tiled(sizes, remainders_due(reach, random), std::min(tile_widths.front() - 1, high), high, random);
    sort_once(sizes);
    fill_gaps(sizes, random);
  }
  sort_once(sizes);
  return sizes;
}

std::vector<std::int64_t> tiled_sizes(Random& random, Reach reach, std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> sizes;
  if (reach != Reach::none) add_tiled(sizes, remainders_due(reach, random), low, high, random);
  sort_once(sizes);
  return sizes;
}

std::pair<std::int64_t, std::int64_t> pair_of_sizes(Random& random, std::int64_t largest, std::int64_t budget) {
  const std::int64_t one = log_uniform(random, pair_min, std::clamp(budget / pair_min, pair_min, largest));
  const std::int64_t other = log_uniform(random, pair_min, std::clamp(budget / one, pair_min, largest));
  return random.chance(0.5) ? std::pair(one, other) : std::pair(other, one);
}

std::vector<std::pair<std::int64_t, std::int64_t>> spread_pairs(Random& random, int count, std::int64_t largest,
                                                                std::int64_t budget) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, random);
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const std::int64_t i : order) {
    const auto at = std::ssize(pairs);
    const std::int64_t one =
        drawn_of_interval(random, at, count, pair_min, std::clamp(budget / pair_min, pair_min, largest));
    pairs.emplace_back(one, drawn_of_interval(random, i, count, pair_min, std::clamp(budget / one, pair_min, largest)));
  }
  return pairs;
}

void SizesTogether::take(const Sizes& sizes) {
  for (std::size_t a = 0; a < sizes.size(); ++a)
    for (std::size_t b = a + 1; b < sizes.size(); ++b) add({sizes[a], sizes[b]});
  if (sizes.size() > 2) add(sizes);
}

void SizesTogether::add(const Sizes& in_any_order) {
  Sizes sizes = in_any_order;
  std::ranges::sort(sizes);  // neither the order of extents nor that of cases may matter: reports of shards are merged
  const auto rank = [](const Sizes& some) { return std::pair{std::ranges::min(std::views::values(some)), some}; };
  std::string names;
  for (const auto& [name, size] : sizes) names += (names.empty() ? "" : ", ") + name;
  const auto [known, is_new] = all_.try_emplace(names, sizes);
  if (!is_new && rank(known->second) < rank(sizes)) known->second = sizes;
}

void SizesTogether::merge(const SizesTogether& other) {
  for (const auto& [names, sizes] : other.all_) add(sizes);
}

std::optional<SizeInterval> widest_interval_without(const std::set<std::int64_t>& judged, std::int64_t due) {
  std::optional<SizeInterval> widest;
  std::int64_t before = 0;
  const auto end_at = [&](std::int64_t last) {
    const SizeInterval between{before + 1, last};
    if (between.first <= between.last && (!widest || between.ratio() > widest->ratio())) widest = between;
  };
  for (const std::int64_t size : judged) {
    end_at(size - 1);
    before = std::max<std::int64_t>(size, 0);
  }
  if (!judged.empty()) end_at(due);
  return widest;
}

}  // namespace assay::validation
