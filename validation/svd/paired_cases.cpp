// Cases of the SVD with two large extents, with the tail of a tile beside another large extent, and of shapes people
// decompose. Few matrices of a batch are different, so that the reference computes few. Some lack full rank, or have
// columns of very different lengths.
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
SvdCase matrices_in_turn(const Extents& size, std::uint64_t seed) {
  SvdCase c{size.B, size.M, size.N, Dtype::float32, {}};
  for (std::int64_t b = 0; b < c.B; ++b) {
    Random random(seed + static_cast<std::uint64_t>(b % different_matrices));
    for (std::int64_t i = 0; i < c.M * c.N; ++i)
      c.A.push_back(static_cast<double>(static_cast<float>(random.pick({-1, 1}) * random.real(0.8, 1.2))));
  }
  return c;
}

/// The last half of the columns of a tall matrix, of the rows of a wide one, repeat the first, up to what is left of a
/// weight that falls to 2^-20.
SvdCase nearly_dependent(const Extents& size, std::uint64_t seed) {
  SvdCase c = matrices_in_turn(size, seed);
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
  const auto add_pairs = [&](std::int64_t largest, std::int64_t most_of_matrix) {
    const auto [B1, M1] = pair_of_sizes(random, largest, std::int64_t{1} << 18);
    all.push_back({B1, M1, 2});
    const auto [B2, N2] = pair_of_sizes(random, largest, std::int64_t{1} << 18);
    all.push_back({B2, 2, N2});
    const auto [M3, N3] = pair_of_sizes(random, largest, most_of_matrix);
    all.push_back({1, M3, N3});
  };
  add_pairs(2 * pair_min, (pair_min + 7) * (pair_min + 7));
  all.push_back({1, random.integer(120, 130), random.integer(104, 112)});
  if (reach != Reach::quick) {
    add_pairs(pair_max, std::int64_t{1} << 17);
    add_tails(all, random, reach);
    all.push_back({16, 64, 64});
    all.push_back({1, 512, 256});
  }
  std::vector<SvdNamedCase> cases;
  for (const auto& e : all)
    cases.push_back({fmt::format("B={} M={} N={}", e.B, e.M, e.N), matrices_in_turn(e, random.bits())});
  for (const auto& [M, N] :
       {std::pair<std::int64_t, std::int64_t>{70, 66}, {66, 70}, {200, 70}, {70, 200}, {104, 130}}) {
    if (reach == Reach::quick && M == 200) continue;
    cases.push_back({fmt::format("B=1 M={} N={} nearly dependent", M, N), nearly_dependent({1, M, N}, random.bits())});
  }
  std::ranges::stable_sort(cases, {}, [](const SvdNamedCase& one) { return work_of(one.problem); });
  return cases;
}

}  // namespace assay::validation
