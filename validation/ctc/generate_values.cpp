#include "validation/ctc/generate_values.h"

#include <cmath>
#include <limits>

#include "validation/core/infinity.h"

namespace assay::validation {
namespace {

enum class Character { constant, few_bits, gaussian, wide, confident, log_uniform, near_ties, far_apart };

Character some_character(Random& random) {
  return random.pick({Character::constant, Character::few_bits, Character::few_bits, Character::gaussian,
                      Character::gaussian, Character::wide, Character::confident, Character::log_uniform,
                      Character::near_ties, Character::far_apart});
}

/// A number of either sign, with a magnitude from the smallest subnormal to 1e4, or 0.
float log_uniform(Random& random) {
  if (random.chance(0.1)) return random.chance(0.5) ? 0.0F : -0.0F;
  const auto magnitude = static_cast<float>(std::exp2(random.real(-149.0, 13.0)));
  return random.chance(0.5) ? magnitude : -magnitude;
}

float some_value(Random& random, Character character) {
  switch (character) {
    case Character::constant:
      return 0.0F;
    case Character::few_bits:
      return static_cast<float>(random.integer(-8, 8)) / 4.0F;
    case Character::gaussian:
      return static_cast<float>(random.gaussian());
    case Character::wide:
      return static_cast<float>(50.0 * random.gaussian());
    case Character::confident:
      return static_cast<float>(-25.0 + random.gaussian());
    case Character::log_uniform:
      return log_uniform(random);
    case Character::near_ties:
      return std::nextafter(1.0F, random.chance(0.5) ? 2.0F : 0.0F);
    case Character::far_apart:
      return static_cast<float>(random.pick({-3.0e4, -200.0, 0.0, 150.0, 3.0e4}));
  }
  return 0.0F;
}

void fill_frame(Random& random, CtcCase& c, std::int64_t t, std::int64_t b, Character character) {
  for (std::int64_t k = 0; k < c.C; ++k) c.activation(t, b, k) = some_value(random, character);
  if (character != Character::confident) return;
  const auto winner = random.chance(0.5) ? c.blank : random.integer(0, c.C - 1);
  c.activation(t, b, winner) = static_cast<float>(10.0 + random.gaussian());
}

void fill_garbage(Random& random, CtcCase& c, std::int64_t t, std::int64_t b) {
  for (std::int64_t k = 0; k < c.C; ++k) {
    c.activation(t, b, k) =
        random.pick({std::numeric_limits<float>::quiet_NaN(), float_infinity, -float_infinity, 3.0e38F, 7.0F, -2.0F});
  }
}

/// Sets each class of the frame to -inf with some probability, except for one class that is drawn first.
void forbid_classes(Random& random, CtcCase& c, std::int64_t t, std::int64_t b) {
  const auto kept = random.integer(0, c.C - 1);
  for (std::int64_t k = 0; k < c.C; ++k) {
    if (k != kept && random.chance(0.15)) c.activation(t, b, k) = -float_infinity;
  }
}

}  // namespace

void fill_activations(Random& random, CtcCase& c, double minus_infinity) {
  c.activations.assign(static_cast<std::size_t>(c.T * c.B * c.C), 0.0F);
  const auto character = some_character(random);
  const bool forbid = random.chance(minus_infinity);
  const bool garbage = random.chance(0.5);
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t t = 0; t < c.T; ++t) {
      const bool past = t >= c.input_lengths[static_cast<std::size_t>(b)];
      if (past && garbage) {
        fill_garbage(random, c, t, b);
      } else {
        fill_frame(random, c, t, b, character);
        if (forbid) forbid_classes(random, c, t, b);
      }
    }
  }
}

}  // namespace assay::validation
