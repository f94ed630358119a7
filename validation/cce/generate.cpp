#include "validation/cce/operation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "validation/cce/generate_values.h"

namespace assay::validation {
namespace {

/// A third of the small extents are near the usual widths of tiles.
std::int64_t small_extent(Random& random, int size) {
  const std::int64_t most = 1 + size / 12;
  if (!random.chance(0.3)) return random.integer(1, most);
  const std::int64_t width = random.pick({8, 16, 32});
  return size < 30 ? random.integer(1, most) : random.integer(width - 1, width + 1);
}

std::int64_t vocabulary(Random& random, int size, const CceProfile& profile) {
  if (size >= 20 && random.chance(profile.many_entries)) {
    const std::int64_t width = random.pick({256, 512, 1024, 2048});
    return width + random.integer(-1, 1);
  }
  if (size >= 20 && random.chance(0.3)) {
    const std::int64_t width = random.pick({8, 16, 32, 64, 128});
    return width + random.integer(-1, 1);
  }
  return random.integer(1, 2 + size / 10);
}

/// Extents whose logits need at most `budget` multiplications, because the reference multiplies in software.
void choose_extents(CceCase& c, Random& random, int size, const CceProfile& profile) {
  constexpr std::int64_t budget = 24'000;
  c.V = vocabulary(random, size, profile);
  const bool many = size >= 20 && random.chance(profile.many_tokens);
  c.N = many ? random.pick({8, 16, 32, 64}) + random.integer(-1, 1) : random.integer(1, 1 + size / 18);
  c.N = std::max(c.N, profile.min_tokens);
  c.H = small_extent(random, size);
  c.H = std::clamp<std::int64_t>(budget / (c.N * c.V), 1, c.H);
  while (c.N > profile.min_tokens && c.N * c.V * c.H > budget) c.N /= 2;
  c.N = std::max(c.N, std::max<std::int64_t>(profile.min_tokens, 1));
}

void choose_options(CceCase& c, Random& random, const CceProfile& profile) {
  if (random.chance(profile.half_types)) c.dtype = random.pick({Dtype::float16, Dtype::bfloat16});
  if (random.chance(profile.softcap)) c.logit_softcap = random.pick({1.0, 5.0, 30.0, 50.0});
  if (random.chance(profile.smoothing)) c.label_smoothing = random.pick({0.01, 0.1, 0.5, 1.0});
  if (random.chance(profile.z_loss)) c.z_loss = random.pick({1e-4, 0.01, 0.5});
  c.reduction = random.pick({Reduction::none, Reduction::none, Reduction::sum, Reduction::mean});
  c.ignore_index = random.pick<std::int64_t>({-100, -100, -1, 0, c.V - 1, std::numeric_limits<std::int64_t>::min()});
}

std::int64_t counted_entry(const CceCase& c, Random& random) {
  const std::int64_t entry = random.integer(0, c.V - 1);
  return entry == c.ignore_index ? (entry + 1) % c.V : entry;
}

void choose_targets(CceCase& c, Random& random, const CceProfile& profile) {
  if (c.V == 1 && c.ignore_index == 0) c.ignore_index = -100;
  const double share = random.chance(profile.ignored) ? random.pick({0.3, 0.7, 1.0}) : 0.0;
  const std::int64_t again = counted_entry(c, random);
  for (std::int64_t n = 0; n < c.N; ++n) {
    const std::int64_t entry = random.chance(0.25) ? again : counted_entry(c, random);
    c.targets.push_back(random.chance(share) ? c.ignore_index : entry);
  }
}

void choose_upstream(CceCase& c, Random& random) {
  if (random.chance(0.5)) return;
  const std::int64_t count = c.reduction == Reduction::none ? c.N : 1;
  for (std::int64_t i = 0; i < count; ++i)
    c.upstream.push_back(random.chance(0.2) ? random.pick({0.0F, 1.0F, -1.0F})
                                            : static_cast<float>(2 * random.gaussian()));
}

}  // namespace

CceCase CceOperation::generate(Random& random, int size, const CceProfile& profile) {
  CceCase c;
  choose_extents(c, random, size, profile);
  choose_options(c, random, profile);
  choose_targets(c, random, profile);
  choose_upstream(c, random);
  fill_values(c, random, profile);
  return c;
}

}  // namespace assay::validation
