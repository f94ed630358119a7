// Draws the values of every class.
#include "validation/formula/values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "validation/core/infinity.h"
#include "validation/core/reach.h"
#include "validation/core/sizes.h"
#include "validation/formula/patterns.h"

namespace assay::validation::formula {
namespace {

using Class = ValueClass::Kind;

/// The exponents of the type's powers of two.
int first_exponent(const NumberFormat& format) {
  return std::ilogb(format.smallest);
}
int last_exponent(const NumberFormat& format) {
  return std::ilogb(format.largest);
}

/// How the elements of one array are drawn.
struct Manner {
  ValueClass values;
  double offset = 0, spread = 1;  ///< of an offset
  double scale = 1;               ///< of the class scaled
  bool near_one = false;          ///< of numbers in [0, 1]
  bool has_powers = false;        ///< powers of two near the scale
};

double draw_far_offset(Random& random, const ValueClass& values, const NumberFormat& format) {
  const double drawn = random.real(3, std::min(104, last_exponent(format) - 3));
  const double far = std::exp2(values.exponent ? *values.exponent : drawn);
  return (values.exponent ? values.is_negative : random.chance(0.5)) ? -far : far;
}

Manner draw_manner(Random& random, const Input& input, const ValueClass& values, const NumberFormat& format) {
  Manner manner{values};
  manner.near_one = (input.kind == Kind::unit || input.kind == Kind::decay) && random.chance(0.5);
  manner.offset = random.pick({100.0, -1000.0, 10000.0});
  if (values.kind == Class::far_offset) {
    manner.values = {Class::offset};
    manner.offset = draw_far_offset(random, values, format);
    if (random.chance(0.5)) manner.spread = std::max(1.0, std::ldexp(std::abs(manner.offset), -12));
  } else if (values.kind == Class::opposed) {
    manner.offset = std::ldexp(values.is_negative ? -1.0 : 1.0, values.exponent.value_or(0));
    manner.spread = static_cast<double>(random.integer(0, 1));
  } else if (values.kind == Class::scaled) {
    const auto drawn = static_cast<int>(random.integer(first_exponent(format), last_exponent(format)));
    manner.scale = std::exp2(values.exponent.value_or(drawn));
    manner.has_powers = random.chance(0.5);
  } else if (values.kind == Class::midpoints) {
    manner.scale = random.chance(0.5) ? 1 : std::exp2(static_cast<double>(random.integer(-6, 6)));
    manner.spread = random.chance(0.75) ? 1 : 1.5;  // beyond the largest number
  }
  return manner;
}

/// At the midpoint of two numbers of the format, at a number of it, or one step of the type beside; some elements are the
/// largest number, so that a scale by the largest of a row is a power of two.
double of_midpoints(Random& random, const Manner& manner, const NumberFormat& type) {
  const auto& format = *manner.values.format;
  const int highest = format.highest(), lowest = std::max(format.lowest(), -highest);
  if (random.chance(0.1)) return manner.scale * format.at(random.chance(0.5) ? highest : lowest);
  const auto below = static_cast<int>(random.integer(lowest, highest - 1));
  const double middle = format.at(below) / 2 + format.at(below + 1) / 2;
  const double drawn = manner.scale * (random.chance(0.8) ? middle : format.at(below)) * manner.spread;
  return random.chance(0.6) ? drawn : drawn * (1 + 2 * type.roundoff * random.pick({1.0, -1.0}));
}

double of_class(Random& random, const Manner& manner, const NumberFormat& format, std::int64_t i) {
  const double normal = random.gaussian();
  switch (manner.values.kind) {
    case Class::offset:
      return manner.offset + manner.spread * normal;
    case Class::opposed:  // products and their sums are exact while they are small
      return manner.offset + manner.spread * static_cast<double>(random.integer(-1, 1));
    case Class::scaled:
      if (!manner.has_powers) return manner.scale * normal;
      return std::copysign(std::ldexp(manner.scale, static_cast<int>(random.integer(-4, 4))), normal);
    case Class::wide:
      return 100 * normal;
    case Class::tiny:
      return 1e-4 * normal;
    case Class::ties:
      return static_cast<double>(random.integer(-1, 1));
    case Class::signed_zeros:
      return random.chance(0.7) ? random.pick({0.0, -0.0}) : normal;
    case Class::subnormal:
      return format.smallest * static_cast<double>(random.integer(-50, 50));
    case Class::largest:
      return format.largest * random.pick({1.0, -1.0, 0.5, 0.25});
    case Class::integers:
      return static_cast<double>(random.integer(-8, 8));
    case Class::one_hot:
      return random.integer(0, 3 + i / 4) == 0 ? 16 : 0;
    case Class::midpoints:
      return of_midpoints(random, manner, format);
    default:
      return normal;
  }
}

/// A number of a small format: of each class what comes next to it.
double of_code_class(Random& random, const reference::SmallFormat& format, Class kind, std::int64_t i) {
  const auto rank = [&](int from, int to) { return format.at(static_cast<int>(random.integer(from, to))); };
  const int highest = format.highest(), lowest = format.lowest();
  const bool may_be_negative = format.is_signed && random.chance(0.5);
  switch (kind) {
    case Class::offset:
      return rank(highest - highest / 4, highest);
    case Class::wide:
    case Class::scaled:
      return rank(lowest, highest);
    case Class::tiny:
    case Class::subnormal:
      return rank(std::max(lowest, -(1 << std::max(format.mantissa_bits - 1, 1))), 1 << format.mantissa_bits / 2);
    case Class::largest:
      return may_be_negative ? format.at(lowest) : format.largest();
    case Class::one_hot:
      return random.integer(0, 3 + i / 4) == 0 ? format.largest() : rank(std::max(lowest, -1), 1);
    case Class::far_offset:  // every code in turn
      return format.at(lowest + static_cast<int>(i % (highest - lowest + 1)));
    case Class::sorted:
      return format.at(highest / 2);  // all equal
    default:
      break;
  }
  const double spread = format.is_whole() ? format.largest() / 3 : 2;
  const double drawn = kind == Class::ties       ? static_cast<double>(random.integer(-1, 1))
                       : kind == Class::integers ? static_cast<double>(random.integer(-8, 8))
                                                 : spread * random.gaussian();
  return reference::rounded_to(reference::Cast{&format}, format.is_signed ? drawn : std::abs(drawn));
}

double of_code(Random& random, const Input& input, Class kind, std::int64_t i) {
  const auto& format = *input.format;
  if (input.kind == Kind::positive_code)  // the size of -128 is no number of int8
    return std::clamp(std::abs(of_code_class(random, format, kind, i)), format.at(format.exponent_bits == 8 ? 0 : 1),
                      format.largest());
  if (input.kind == Kind::code || !random.chance(0.05)) return of_code_class(random, format, kind, i);
  return format.decoded(static_cast<int>(random.integer(0, format.codes() - 1)));
}

/// Each index has a number near 1 unlike its neighbours'.
double of_code_needle(const Input& input, const ValueClass& values, std::int64_t i) {
  const auto& format = *input.format;
  const bool is_positive = input.kind == Kind::positive_code;
  const reference::Cast cast{&format};
  if (values.kind == Class::equal) return 1;
  if (values.is_sparse()) {
    const double size = values.kind == Class::peaked ? 16 : i / needle_stride % 2 == 0 || !format.is_signed ? 1 : -1;
    return reference::rounded_to(cast, values.has(i) ? is_positive ? std::abs(size) : size : is_positive ? 1.0 : 0.0);
  }
  const int one = reference::detail::rank_below(format, 1.0);
  return format.at(one + static_cast<int>(i % std::min(format.highest() - one + 1, format.is_whole() ? 61 : 13)));
}

/// The elements of needle cases, which nothing is drawn for.
double of_needle(const Input& input, const Extents& extents, const ValueClass& values, std::int64_t i) {
  if (input.kind == Kind::flag) return 1;
  if (input.kind == Kind::index)
    return static_cast<double>(i % std::max<std::int64_t>(size_of(input.extent, extents), 1));
  if (values.kind == Class::equal) return input.kind == Kind::unit || input.kind == Kind::decay ? 0.5 : 1;
  if (values.is_sparse() && input.kind == Kind::real)
    return !values.has(i) ? 0 : values.kind == Class::peaked ? 16 : i / needle_stride % 2 == 0 ? 1 : -1;
  return static_cast<double>(1 + i % needle_period) / 64;
}

/// In [0, 1]. Decays and gates near 1 carry what was long ago, so that a long recurrence matters.
double of_unit(Random& random, bool near_one) {
  if (random.chance(0.1)) return near_one && random.chance(0.9) ? 1.0 : random.pick({0.0, 1.0});
  return near_one ? 1 - std::ldexp(1.0, -static_cast<int>(random.integer(3, 14))) : random.real();
}

bool excludes_zero(Kind kind) {
  return kind == Kind::decay || kind == Kind::nonzero;
}

double of_kind(Random& random, const Input& input, const Extents& extents, const Manner& manner,
               const NumberFormat& format, std::int64_t i) {
  if (is_code(input.kind))
    return manner.values.is_fixed() ? of_code_needle(input, manner.values, i)
                                    : of_code(random, input, manner.values.kind, i);
  if (manner.values.is_fixed()) return of_needle(input, extents, manner.values, i);
  switch (input.kind) {
    case Kind::flag:
      return random.chance(0.7) ? 1 : 0;
    case Kind::index:
      return static_cast<double>(random.integer(0, std::max<std::int64_t>(size_of(input.extent, extents) - 1, 0)));
    case Kind::unit:
    case Kind::decay:
      return manner.values.kind == Class::integers ? static_cast<double>(random.integer(0, 1))
                                                   : of_unit(random, manner.near_one);
    case Kind::positive:
      if (manner.values.kind == Class::integers) return static_cast<double>(random.integer(1, 8));
      if (manner.values.kind == Class::midpoints) return std::ldexp(1.0, static_cast<int>(random.integer(-4, 4)));
      return std::max(manner.scale * std::exp(random.gaussian()), format.smallest);
    default:
      return of_class(random, manner, format, i);
  }
}

/// Elements of a row that become -inf: all, some, a run at the beginning or at the end; of the class late, all before
/// the last few.
void put_infinities(Random& random, const ValueClass& values, std::span<double> row) {
  const auto size = std::ssize(row);
  const auto put = [&](std::int64_t from, std::int64_t to) {
    std::fill(row.begin() + from, row.begin() + to, -infinity);
  };
  const double way = random.real();
  if (values.kind == Class::late) return put(0, std::max<std::int64_t>(size - random.integer(1, 3), 0));
  if (way < 0.1) return put(0, size);
  if (way < 0.4) return put(0, size - log_uniform(random, 1, size));
  if (way < 0.5) return put(log_uniform(random, 1, size), size);
  for (std::int64_t i = 0; i < size; ++i)
    if (random.chance(0.4)) put(i, i + 1);
}

/// One or two elements of every second row become NaN.
void put_nan(Random& random, std::span<double> row) {
  for (std::int64_t count = random.integer(-1, 2); count > 0; --count)
    row[static_cast<std::size_t>(random.integer(0, std::ssize(row) - 1))] = std::numeric_limits<double>::quiet_NaN();
}

double upstream_of_class(Random& random, const ValueClass& values, std::int64_t i) {
  if (values.is_sparse()) return values.has(i) ? static_cast<double>(32 + i % 31) / 64 : 0;
  if (values.is_fixed()) return static_cast<double>(1 + i % (needle_period - 2)) / (i % 2 == 0 ? 64 : -64);
  return values.kind == Class::integers ? static_cast<double>(random.integer(-4, 4)) : random.gaussian();
}

}  // namespace

std::vector<double> draw_values(Random& random, const Input& input, const Extents& extents, Dtype dtype,
                                const ValueClass& values) {
  const auto shape = shape_of(input, extents);
  dtype = input.dtype.value_or(dtype);
  const NumberFormat format = format_of(dtype);
  const Manner manner = draw_manner(random, input, values, format);
  std::vector<double> result(static_cast<std::size_t>(elements_of(shape)));
  const std::size_t row_length = result.empty() || shape.empty() ? 1 : static_cast<std::size_t>(shape.back());
  if (values.pattern != nullptr) fill_by_pattern(random, *values.pattern, input, extents, {result, row_length, format});
  for (std::size_t i = 0; i < result.size(); ++i) {
    double& x = result[i];
    if (values.pattern == nullptr) x = of_kind(random, input, extents, manner, format, static_cast<std::int64_t>(i));
    if (is_code(input.kind)) continue;
    if (input.kind != Kind::index) x = rounded_to<double>(dtype, x);
    if (std::isinf(x)) x = std::copysign(format.largest, x);
    if (x == 0 && excludes_zero(input.kind)) x = 1;
  }
  if (shape.empty() || result.empty() || values.is_fixed() || values.pattern != nullptr) return result;
  const bool has_nan = input.nan && random.chance(0.25);
  for (std::size_t first = 0; first < result.size(); first += row_length) {
    const std::span row(result.data() + first, row_length);
    if (values.kind == Class::sorted && input.kind == Kind::real) std::ranges::sort(row);
    if (values.kind == Class::midpoints && input.kind == Kind::real && random.chance(0.7))
      row[static_cast<std::size_t>(random.integer(0, std::ssize(row) - 1))] =
          std::clamp(manner.scale * values.format->largest(), -format.largest, format.largest);
    if (input.kind == Kind::flag && random.chance(0.1)) std::ranges::fill(row, 0);
    if (input.minus_infinity && (values.kind == Class::late || random.chance(0.2))) put_infinities(random, values, row);
    if (has_nan) put_nan(random, row);
  }
  return result;
}

std::vector<double> draw_upstream(Random& random, std::size_t size, Dtype dtype, const ValueClass& values) {
  std::vector<double> upstream(size);
  for (std::size_t i = 0; i < upstream.size(); ++i)
    upstream[i] = rounded_to<double>(dtype, upstream_of_class(random, values, static_cast<std::int64_t>(i)));
  return upstream;
}

}  // namespace assay::validation::formula
