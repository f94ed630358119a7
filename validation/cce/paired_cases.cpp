// Cases of cross-entropy with two large extents, with the tail of a tile beside large extents, of each option where
// all extents are large, and of shapes people train with. Few tokens are different, so that the reference
// computes few (validation/cce/same_tokens.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "validation/cce/operation.h"
#include "validation/core/sizes.h"

namespace assay::validation {
namespace {

/// How many tokens of a case are different.
constexpr std::int64_t different_tokens = 5;

struct Extents {
  std::int64_t N, H, V;
};

/// Logits have a standard deviation of about 1.
CceCase tokens_in_turn(const Extents& size, std::uint64_t seed) {
  Random random(seed);
  CceCase c;
  c.N = size.N;
  c.H = size.H;
  c.V = size.V;
  const double scale = std::pow(static_cast<double>(c.H), -0.25);
  const auto add = [&](std::vector<float>& to, double factor) {
    to.push_back(static_cast<float>(factor * random.gaussian()));
  };
  for (std::int64_t n = 0; n < c.N; ++n) {
    const bool is_new = n < different_tokens;
    c.targets.push_back(is_new ? random.integer(0, c.V - 1)
                               : c.targets[static_cast<std::size_t>(n - different_tokens)]);
    for (std::int64_t h = 0; h < c.H; ++h)
      is_new ? add(c.hidden, scale) : c.hidden.push_back(c.hidden_at(n - different_tokens, h));
  }
  for (std::int64_t i = 0; i < c.V * c.H; ++i) add(c.weight, scale);
  for (std::int64_t v = 0; v < c.V; ++v) add(c.bias, 0.25);
  return c;
}

/// Pairs of large extents, `count` times; the other is small. Those of N and V, which cost least, are more.
void add_pairs(std::vector<Extents>& all, Random& random, int count) {
  const auto pairs = [&](int some) { return spread_pairs(random, some, pair_max, std::int64_t{1} << 17); };
  for (const auto& [N, H] : pairs(count)) all.push_back({N, H, 5});
  for (const auto& [N, V] : pairs(4 * count)) all.push_back({N, 3, V});
  for (const auto& [H, V] : pairs(count)) all.push_back({3, H, V});
}

/// Sizes with the tails of tiles, each where the other extents are large.
void add_tails(std::vector<Extents>& all, Random& random, Reach reach) {
  for (const std::int64_t N : tiled_sizes(random, reach, pair_min, pair_max)) all.push_back({N, 40, 40});
  for (const std::int64_t H : tiled_sizes(random, reach, pair_min, pair_max)) all.push_back({40, H, 40});
  for (const std::int64_t V : tiled_sizes(random, reach, pair_min, pair_max)) all.push_back({40, 40, V});
}

/// Each option alone, also where all extents are beyond tiles: a kernel is asked for those that it claims.
std::vector<CceNamedCase> with_options(const Extents& size, std::uint64_t seed) {
  std::vector<CceNamedCase> cases;
  const auto add = [&](const char* name, const auto& set) {
    cases.push_back({fmt::format("N={} H={} V={} {}", size.N, size.H, size.V, name), tokens_in_turn(size, seed)});
    set(cases.back().problem);
  };
  add("mean", [](CceCase& c) { c.reduction = Reduction::mean; });
  add("sum", [](CceCase& c) { c.reduction = Reduction::sum; });
  add("ignored mean", [](CceCase& c) {
    c.reduction = Reduction::mean;
    for (std::size_t n = 0; n < c.targets.size(); n += 4) c.targets[n] = c.ignore_index;
  });
  add("label_smoothing", [](CceCase& c) { c.label_smoothing = 0.125; });
  add("z_loss", [](CceCase& c) { c.z_loss = 0x1p-8; });
  add("logit_softcap", [](CceCase& c) { c.logit_softcap = 8; });
  return cases;
}

}  // namespace

std::int64_t CceOperation::work_of(const CceCase& c) {
  return 3 * c.N * c.H * c.V;
}

std::vector<CceNamedCase> CceOperation::paired_cases(Reach reach, std::uint64_t seed) {
  Random random(seed);
  std::vector<Extents> all;
  add_pairs(all, random, reach == Reach::quick ? 1 : 3);
  all.push_back({random.integer(260, 290), random.integer(260, 290), random.integer(530, 560)});
  if (reach != Reach::quick) {
    all.push_back({256, 512, 4096});
  }
  if (reach == Reach::thorough) all.push_back({64, 768, 50'257});
  add_tails(all, random, reach);
  std::vector<CceNamedCase> cases = with_options({37, 39, 45}, random.bits());
  const Extents large{random.integer(131, 150), random.integer(131, 150), random.integer(521, 560)};
  std::ranges::move(with_options(large, random.bits()), std::back_inserter(cases));
  std::ranges::move(pattern_cases(random.bits()), std::back_inserter(cases));
  for (const auto& e : all)
    cases.push_back({fmt::format("N={} H={} V={}", e.N, e.H, e.V), tokens_in_turn(e, random.bits())});
  std::ranges::stable_sort(cases, {}, [](const CceNamedCase& one) { return work_of(one.problem); });
  return cases;
}

}  // namespace assay::validation
