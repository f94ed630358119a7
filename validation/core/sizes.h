// Sizes that no list foretells: drawn by the seed of a run, for cases that are compared with the reference.
//
// A kernel that works in tiles handles the rest of an extent apart: the sizes have each remainder of 1, 2, 3 and of one
// too few by each usual width of a tile. A kernel may also be wrong for sizes in between: in a full run no size is more
// than 1.5 times the one before.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "validation/core/random.h"
#include "validation/core/reach.h"

namespace assay::validation {

inline constexpr std::array<std::int64_t, 12> tile_widths = {24, 32, 48, 64, 80, 96, 100, 112, 128, 160, 192, 256};

/// The remainders by a tile's width that sizes have.
inline constexpr std::array<std::int64_t, 4> tile_remainders = {-1, 1, 2, 3};

/// The smallest and the largest extent that counts as one of a pair.
inline constexpr std::int64_t pair_min = 65, pair_max = 1030;

/// Log-uniform in [low, high], both included.
std::int64_t log_uniform(Random& random, std::int64_t low, std::int64_t high);

/// As log_uniform. A third are as people choose sizes: powers of two, or multiples of 32, 100 or 128.
std::int64_t chosen_size(Random& random, std::int64_t low, std::int64_t high);

/// Sizes from `low` to `high`, none far from the next: one is drawn from each of the intervals, whose ends have a ratio
/// of at most 16, into which they divide [low, high].
std::vector<std::int64_t> spread_sizes(Random& random, std::int64_t low, std::int64_t high);

/// The sizes of needle cases for properties that compare with the reference, ascending: those of needle_sizes; up to
/// 1030 some for each tile; in a full run also some in between. A quick run has one remainder of 1, 2, 3 by each tile,
/// and beyond spread sizes.
std::vector<std::int64_t> reference_sizes(const NeedleExtent& extent, Reach reach, std::uint64_t seed);

/// Sizes from `low` to `high` that have the remainders by each tile's width: few, each with as many as it can.
std::vector<std::int64_t> tiled_sizes(Random& random, Reach reach, std::int64_t low, std::int64_t high);

/// Two extents that are large at once, from pair_min to `largest`, whose product is at most `budget`.
std::pair<std::int64_t, std::int64_t> pair_of_sizes(Random& random, std::int64_t largest, std::int64_t budget);

/// `count` such pairs, spread: of the intervals of equal ratio into which `count` divides its range, each extent takes
/// each once, in an order of its own (Latin hypercube: McKay, Beckman, Conover 1979).
std::vector<std::pair<std::int64_t, std::int64_t>> spread_pairs(Random& random, int count, std::int64_t largest,
                                                                std::int64_t budget);

/// The sizes that were judged, of each extent by its name.
using SizesOfExtents = std::map<std::string, std::set<std::int64_t>>;

/// The sizes that were large together in one judged case: of each pair of extents and of three or more at once, those
/// whose smallest is the largest.
class SizesTogether {
 public:
  using Sizes = std::vector<std::pair<std::string, std::int64_t>>;  ///< by extents

  /// Adds the sizes of a case.
  void take(const Sizes& sizes);
  /// Adds those of some extents alone.
  void add(const Sizes& in_any_order);
  void merge(const SizesTogether& other);

  /// By the names of the extents: "D, N".
  const std::map<std::string, Sizes>& all() const { return all_; }

 private:
  std::map<std::string, Sizes> all_;
};

/// Sizes from `first` to `last`.
struct SizeInterval {
  std::int64_t first = 0, last = 0;
  double ratio() const { return static_cast<double>(last) / static_cast<double>(first); }
};

/// The interval of the largest ratio between two judged sizes, before the first above 0, or after the last up to `due`;
/// none if all are judged.
std::optional<SizeInterval> widest_interval_without(const std::set<std::int64_t>& judged, std::int64_t due = 0);

}  // namespace assay::validation
