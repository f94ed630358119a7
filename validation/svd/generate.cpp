#include "validation/svd/operation.h"

#include <algorithm>
#include <cmath>

#include "validation/svd/generate_values.h"

namespace assay::validation {
namespace {

void choose_extents(SvdCase& c, Random& random, int size, const SvdProfile& profile) {
  const std::int64_t most = std::max<std::int64_t>(profile.min_extent, 1 + size / 9);
  if (size >= 30 && random.chance(profile.large)) {
    c.B = 1;
    c.N = random.pick({16, 16, 32}) + random.integer(-1, 1);
    c.M = random.pick({c.N, c.N, c.N + 1, c.N / 2, c.N * 2});
  } else {
    c.B = random.chance(0.5) ? 1 : random.integer(1, profile.max_batch);
    c.N = random.integer(profile.min_extent, most);
    c.M = random.chance(0.3) ? c.N : random.integer(profile.min_extent, most);
    if (random.chance(0.08)) c.M = 3 * most;
  }
  if (random.chance(0.15)) std::swap(c.M, c.N);
}

void choose_dtype(SvdCase& c, Random& random, const SvdProfile& profile) {
  if (random.chance(profile.half_types)) {
    c.dtype = random.pick({Dtype::float16, Dtype::bfloat16});
  } else if (random.chance(profile.doubles)) {
    c.dtype = Dtype::float64;
  }
}

}  // namespace

SvdCase SvdOperation::generate(Random& random, int size, const SvdProfile& profile) {
  SvdCase c;
  choose_extents(c, random, size, profile);
  choose_dtype(c, random, profile);
  c.A.resize(static_cast<std::size_t>(c.B * c.M * c.N));
  for (std::int64_t b = 0; b < c.B; ++b) fill_matrix(c, b, random, profile);
  return c;
}

}  // namespace assay::validation
