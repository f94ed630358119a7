// Generates problems on which linear cross-entropy kernels are known to break.
//
// Extents first: one token, one entry, sizes below, at and above 8, 16, 32, 64, 256 and 1024, all tokens ignored. Then
// values: constant, few bits, Gaussian, confident, near ties, large logits, a huge common offset, entries masked out by
// a bias of -inf, also at the start. The hidden rows of ignored tokens hold NaN and infinity on purpose.
#include <algorithm>
#include <cmath>
#include <limits>

#include "validation/cce/operation.h"
#include "validation/core/infinity.h"

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
  c.ignore_index = random.pick<std::int64_t>(
      {-100, -100, -1, 0, c.V - 1, c.V, 255 + c.V, -random.integer(2, 200), std::numeric_limits<std::int64_t>::min()});
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
  if (random.chance(0.2)) {  // a loss scale, with which float16 would overflow, or a mean that the caller takes
    const float scale = c.dtype == Dtype::float16 ? 4.0F : random.pick({1024.0F, 65'536.0F});
    c.upstream.assign(static_cast<std::size_t>(count), random.pick({scale, 2.0F, -1.0F, 1e-3F, 1e-7F}));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i)
    c.upstream.push_back(random.chance(0.2) ? random.pick({0.0F, 1.0F, -1.0F})
                                            : static_cast<float>(2 * random.gaussian()));
}

enum class Style { zeros, few_bits, gaussian, confident, ties, large };

double element(Random& random, Style style, double scale) {
  switch (style) {
    case Style::zeros:
      return 0;
    case Style::few_bits:
      return static_cast<double>(random.integer(-4, 4)) / 4;
    case Style::ties:
      return 1 + (random.chance(0.2) ? std::ldexp(1.0, -6) : 0.0);
    default:
      return scale * random.gaussian();
  }
}

/// The standard deviation of both factors that gives logits of about the style's size.
double scale_of(Style style, std::int64_t H) {
  const double logit = style == Style::large ? 50 : 2;
  return std::sqrt(logit / std::sqrt(static_cast<double>(H)));
}

/// Turns the hidden row of each token towards its target's row of weight: a logit of 20 to 90 at the target.
void make_confident(CceCase& c, Random& random) {
  for (std::int64_t n = 0; n < c.N; ++n) {
    if (c.is_ignored(n)) continue;
    const std::int64_t target = c.targets[static_cast<std::size_t>(n)];
    double squares = 0;
    for (std::int64_t h = 0; h < c.H; ++h) squares += std::pow(double{c.weight_at(target, h)}, 2);
    const double factor = random.real(20, 90) / std::max(squares, 0.25);
    for (std::int64_t h = 0; h < c.H; ++h)
      c.hidden_at(n, h) = rounded_to(c.dtype, factor * double{c.weight_at(target, h)});
  }
}

void fill_bias(CceCase& c, Random& random, const CceProfile& profile) {
  const double most = c.dtype == Dtype::float16 ? 3e4 : 1e6;
  const double offset = random.chance(profile.offset) ? random.real(-most, most) : 0;
  for (std::int64_t v = 0; v < c.V; ++v) c.bias.push_back(rounded_to(c.dtype, offset + random.gaussian()));
  if (c.V < 2 || !random.chance(profile.minus_infinity)) return;
  const std::int64_t leading = random.chance(0.5) ? random.integer(1, c.V - 1) : 0;
  for (std::int64_t v = 0; v < leading; ++v) c.bias[static_cast<std::size_t>(v)] = -float_infinity;
  for (std::int64_t v = leading; v + 1 < c.V; ++v)
    if (random.chance(0.2)) c.bias[static_cast<std::size_t>(v)] = -float_infinity;
  // A target of probability 0 has an infinite loss, which hides all other errors, so that case is rare.
  if (random.chance(0.3)) return;
  for (std::int64_t n = 0; n < c.N; ++n) {
    if (c.is_ignored(n)) continue;
    float& bias = c.bias[static_cast<std::size_t>(c.targets[static_cast<std::size_t>(n)])];
    if (bias == -float_infinity) bias = rounded_to(c.dtype, offset);
  }
}

void spoil_ignored_rows(CceCase& c, Random& random) {
  for (std::int64_t n = 0; n < c.N; ++n)
    for (std::int64_t h = 0; h < c.H; ++h)
      if (c.is_ignored(n))
        c.hidden_at(n, h) =
            random.pick({std::numeric_limits<float>::quiet_NaN(), float_infinity, -float_infinity, 0.0F});
}

/// Fills hidden, weight and, in a share profile.bias of the cases, bias. Extents, options and targets must be set.
void fill_values(CceCase& c, Random& random, const CceProfile& profile) {
  const auto style = random.pick({Style::zeros, Style::few_bits, Style::gaussian, Style::gaussian, Style::gaussian,
                                  Style::confident, Style::ties, Style::large});
  const double scale = scale_of(style, c.H);
  for (std::int64_t i = 0; i < c.N * c.H; ++i) c.hidden.push_back(rounded_to(c.dtype, element(random, style, scale)));
  for (std::int64_t i = 0; i < c.V * c.H; ++i) c.weight.push_back(rounded_to(c.dtype, element(random, style, scale)));
  if (style == Style::confident) make_confident(c, random);
  if (random.chance(profile.bias)) fill_bias(c, random, profile);
  spoil_ignored_rows(c, random);
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
