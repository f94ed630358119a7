// Cases of the SVD with two large extents, with the tail of a tile beside another large extent, of each type, and of
// shapes people decompose. Few matrices of a batch are different, so that the reference computes few. Some lack full
// rank, or have columns of very different lengths.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "validation/core/sizes.h"
#include "validation/svd/operation.h"

namespace assay::validation {
namespace {

/// How many matrices of a batch are different.
constexpr std::int64_t different_matrices = 2;

struct Extents {
  std::int64_t B, M, N;
};

/// Rows and columns are of about one length, so that none is small beside the bound.
SvdCase matrices_in_turn(const Extents& size, Dtype dtype, std::uint64_t seed) {
  SvdCase c{size.B, size.M, size.N, dtype, {}};
  for (std::int64_t b = 0; b < c.B; ++b) {
    Random random(seed + static_cast<std::uint64_t>(b % different_matrices));
    for (std::int64_t i = 0; i < c.M * c.N; ++i)
      c.A.push_back(rounded_to<double>(dtype, random.pick({-1, 1}) * random.real(0.8, 1.2)));
  }
  return c;
}

/// The last half of the columns of a tall matrix, of the rows of a wide one, repeat the first, up to what is left of a
/// weight that falls to 2^-20.
SvdCase nearly_dependent(const Extents& size, std::uint64_t seed) {
  SvdCase c = matrices_in_turn(size, Dtype::float32, seed);
  const bool is_tall = c.M >= c.N;
  const std::int64_t K = c.K(), half = K - K / 2;
  for (std::int64_t b = 0; b < c.B; ++b)
    for (std::int64_t k = half; k < K; ++k)
      for (std::int64_t other = 0; other < std::max(c.M, c.N); ++other) {
        double& x = is_tall ? c.at(b, other, k) : c.at(b, k, other);
        const double first = is_tall ? c.at(b, other, k - half) : c.at(b, k - half, other);
        const double weight = k % 2 == 0 ? 0 : std::exp2(-20.0 * static_cast<double>(k) / static_cast<double>(K));
        x = static_cast<double>(static_cast<float>(first + weight * x));
      }
  return c;
}

/// Batches of more matrices than a block has rows, tall, wide and square.
void add_many_small(std::vector<Extents>& all, Random& random) {
  const auto side = [&] { return chosen_size(random, 5, 20); };
  const auto batch = [&] { return chosen_size(random, 17, 2 * pair_min); };
  all.push_back({batch(), side(), side()});
  const std::int64_t n = side();
  all.push_back({batch(), n, n});
}

/// Beyond those that one block of threads holds.
void add_medium(std::vector<Extents>& all, Random& random, Reach reach) {
  const std::int64_t largest = reach == Reach::quick ? 150 : 4 * pair_min;  // the reference takes K^3 operations
  const std::int64_t K = random.integer(2 * pair_min + 7, largest), more = K + random.integer(0, 40);
  all.push_back(random.chance(0.5) ? Extents{1, K, more} : Extents{1, more, K});
}

/// Sizes with the tails of tiles, each beside another extent that is large.
void add_tails(std::vector<Extents>& all, Random& random, Reach reach) {
  constexpr std::int64_t largest = 4 * pair_min;
  for (const std::int64_t B : tiled_sizes(random, reach, pair_min, pair_max)) all.push_back({B, 9, 9});
  for (const std::int64_t M : tiled_sizes(random, reach, pair_min, largest)) all.push_back({1, M, 17});
  for (const std::int64_t N : tiled_sizes(random, reach, pair_min, largest)) all.push_back({1, 17, N});
}

}  // namespace

std::int64_t SvdOperation::work_of(const SvdCase& c) {
  return c.B * c.M * c.N * c.K();
}

std::vector<SvdNamedCase> SvdOperation::paired_cases(Reach reach, std::uint64_t seed) {
  Random random(seed);
  std::vector<Extents> all;
  const auto add_pairs = [&](int count, std::int64_t largest, std::int64_t most_of_matrix) {
    constexpr std::int64_t elements = std::int64_t{1} << 18;
    for (const auto& [B, M] : spread_pairs(random, count, largest, elements)) all.push_back({B, M, 2});
    for (const auto& [B, N] : spread_pairs(random, count, largest, elements)) all.push_back({B, 2, N});
    const auto [M, N] = pair_of_sizes(random, largest, most_of_matrix);
    all.push_back({1, M, N});
  };
  add_pairs(1, 2 * pair_min, (pair_min + 7) * (pair_min + 7));
  all.push_back({1, random.integer(120, 130), random.integer(104, 112)});
  add_many_small(all, random);
  add_medium(all, random, reach);
  if (reach != Reach::quick) {
    add_pairs(2, pair_max, std::int64_t{1} << 17);
    add_tails(all, random, reach);
    all.push_back({16, 64, 64});
    all.push_back({1, 512, 256});
  }
  std::vector<SvdNamedCase> cases = pattern_cases(random.bits());
  const auto add = [&](const Extents& e, Dtype dtype) {
    cases.push_back(
        {fmt::format("B={} M={} N={} {}", e.B, e.M, e.N, name_of(dtype)), matrices_in_turn(e, dtype, random.bits())});
  };
  for (const auto& e : all) add(e, Dtype::float32);
  for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16, Dtype::float64})
    add({2, chosen_size(random, 20, 32), chosen_size(random, 20, 40)}, dtype);
  for (const auto& [M, N] :
       {std::pair<std::int64_t, std::int64_t>{70, 66}, {66, 70}, {200, 70}, {70, 200}, {104, 130}}) {
    if (reach == Reach::quick && M == 200) continue;
    cases.push_back({fmt::format("B=1 M={} N={} nearly dependent", M, N), nearly_dependent({1, M, N}, random.bits())});
  }
  std::ranges::stable_sort(cases, {}, [](const SvdNamedCase& one) { return work_of(one.problem); });
  return cases;
}

}  // namespace assay::validation
