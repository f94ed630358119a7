#include "validation/cce/generate_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::validation {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

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
  for (std::int64_t v = 0; v < leading; ++v) c.bias[static_cast<std::size_t>(v)] = -infinity;
  for (std::int64_t v = leading; v + 1 < c.V; ++v)
    if (random.chance(0.2)) c.bias[static_cast<std::size_t>(v)] = -infinity;
  // A target of probability 0 has an infinite loss, which hides all other errors, so that case is rare.
  if (random.chance(0.3)) return;
  for (std::int64_t n = 0; n < c.N; ++n) {
    if (c.is_ignored(n)) continue;
    float& bias = c.bias[static_cast<std::size_t>(c.targets[static_cast<std::size_t>(n)])];
    if (bias == -infinity) bias = rounded_to(c.dtype, offset);
  }
}

void spoil_ignored_rows(CceCase& c, Random& random) {
  for (std::int64_t n = 0; n < c.N; ++n)
    for (std::int64_t h = 0; h < c.H; ++h)
      if (c.is_ignored(n))
        c.hidden_at(n, h) = random.pick({std::numeric_limits<float>::quiet_NaN(), infinity, -infinity, 0.0F});
}

}  // namespace

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

}  // namespace assay::validation
