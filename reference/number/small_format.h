// Number formats of at most 8 bits, as data, and the rounding of any number to them.
//
//   value = (-1)^sign 2^(exponent - bias) 1.mantissa,   with an exponent of 0: 2^(1 - bias) 0.mantissa
//
// OCP 8-bit Floating Point Specification 1.0 has e4m3fn and e5m2; OCP Microscaling Formats 1.0 has e8m0, e2m1, e2m3 and
// e3m2. The numbers of a format are ranked in their order: rank 0 is 0, or of e8m0, which has no 0, 2^-127.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "reference/number/ball.h"
#include "reference/number/big_float.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// Which codes are no numbers.
enum class Specials : std::uint8_t {
  none,
  ieee,       ///< the largest exponent: infinities and NaN
  all_ones,   ///< NaN where all bits but the sign are 1, and no infinities
  minus_zero  ///< NaN in the place of -0, and no infinities
};

struct SmallFormat {
  std::string_view name;
  int exponent_bits;  ///< 0: whole numbers, in two's complement
  int mantissa_bits;
  int bias;
  bool is_signed;
  Specials specials;

  constexpr bool is_whole() const { return exponent_bits == 0; }
  constexpr int bits() const { return exponent_bits + mantissa_bits + (is_signed ? 1 : 0); }
  constexpr int codes() const { return 1 << bits(); }

  /// The first and the last rank of a number.
  constexpr int highest() const {
    const int ones = (1 << (exponent_bits + mantissa_bits)) - 1;
    return specials == Specials::ieee ? ones - (1 << mantissa_bits) : specials == Specials::all_ones ? ones - 1 : ones;
  }
  constexpr int lowest() const { return !is_signed ? 0 : is_whole() ? -highest() - 1 : -highest(); }

  /// The number of a rank. Beyond the last one follow those that a longer exponent would have.
  double at(int rank) const {
    if (is_whole()) return rank;
    if (!is_signed && rank < 0) return 0;
    const int size = std::abs(rank), exponent = size >> mantissa_bits, fraction = size - (exponent << mantissa_bits);
    const bool is_subnormal = exponent == 0 && mantissa_bits > 0;
    const double significand = fraction + (is_subnormal ? 0 : 1 << mantissa_bits);
    const double value = std::ldexp(significand, (is_subnormal ? 1 : exponent) - bias - mantissa_bits);
    return rank < 0 ? -value : value;
  }
  double largest() const { return at(highest()); }

  /// The number, the infinity or NaN of a code.
  double decoded(int code) const {
    const int sign = is_signed ? codes() >> 1 : 0, size = code & ~sign;
    const bool is_negative = (code & sign) != 0;
    if (is_whole()) return is_negative ? size - sign : size;
    if (specials == Specials::minus_zero && code == sign) return std::numeric_limits<double>::quiet_NaN();
    if (size <= highest()) return is_negative ? -at(size) : at(size);
    const bool is_infinite = specials == Specials::ieee && size == highest() + 1;
    const double beyond =
        is_infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    return is_negative ? -beyond : beyond;
  }
};

inline constexpr auto small_formats = std::to_array<SmallFormat>({
    {"e4m3fn", 4, 3, 7, true, Specials::all_ones},
    {"e4m3fnuz", 4, 3, 8, true, Specials::minus_zero},
    {"e5m2", 5, 2, 15, true, Specials::ieee},
    {"e5m2fnuz", 5, 2, 16, true, Specials::minus_zero},
    {"e8m0", 8, 0, 127, false, Specials::all_ones},
    {"e3m2", 3, 2, 3, true, Specials::none},
    {"e2m3", 2, 3, 1, true, Specials::none},
    {"e2m1", 2, 1, 1, true, Specials::none},
    {"int8", 0, 7, 0, true, Specials::none},
    {"uint8", 0, 8, 0, false, Specials::none},
    {"int4", 0, 3, 0, true, Specials::none},
    {"uint4", 0, 4, 0, false, Specials::none},
});

/// nearest_even  the nearest; at a tie the one of even rank, of e8m0 the larger, as PyTorch and ml_dtypes have it
/// nearest_away  the nearest; at a tie the one farther from 0
/// zero, up      the neighbour toward 0; the one above
/// stochastic    either neighbour; the exact value of a formula is the nearest
enum class Rounding : std::uint8_t { nearest_even, nearest_away, zero, up, stochastic };

inline constexpr std::array<std::string_view, 5> rounding_names = {"nearest-even", "nearest-away", "zero", "up",
                                                                   "stochastic"};

/// flat              0, as that of a step
/// straight_through  1, as if nothing were rounded
/// rounded           1, and the gradient may be rounded to the format too, as PyTorch and JAX do
enum class CastGradient : std::uint8_t { flat, straight_through, rounded };

inline constexpr std::array<std::string_view, 3> cast_gradient_names = {"flat", "straight-through", "rounded"};

/// A rounding to a format. What is too large becomes the largest number if it saturates, else the infinity or NaN that the
/// format has.
struct Cast {
  const SmallFormat* format = nullptr;
  Rounding rounding = Rounding::nearest_even;
  bool saturates = true;
  CastGradient gradient = CastGradient::flat;
  bool is_optional = false;  ///< a kernel may round so; the exact value is what would be rounded
};

inline Cast cast_called(const std::string& format, const std::string& rounding, bool saturates,
                        const std::string& gradient = "flat") {
  const auto* const found = std::ranges::find(small_formats, format, &SmallFormat::name);
  const auto* const how = std::ranges::find(rounding_names, rounding);
  const auto* const slope = std::ranges::find(cast_gradient_names, gradient);
  if (found == small_formats.end() || how == rounding_names.end() || slope == cast_gradient_names.end())
    throw std::invalid_argument("cast to '" + format + "', rounded '" + rounding + "', gradient '" + gradient +
                                "': expected names in number/small_format.h");
  return {&*found, static_cast<Rounding>(how - rounding_names.begin()), saturates,
          static_cast<CastGradient>(slope - cast_gradient_names.begin())};
}

namespace detail {

/// The last rank whose number is at most x, from the one before the first to the one after the last.
template <class Number>
int rank_below(const SmallFormat& format, const Number& x) {
  int below = format.lowest() - 1, above = format.highest() + 2;
  while (above - below > 1) {
    const int middle = below + (above - below) / 2;
    (x < NumberTraits<Number>::from_real(format.at(middle)) ? above : below) = middle;
  }
  return below;
}

inline bool tie_goes_up(const Cast& cast, int below) {
  if (cast.rounding == Rounding::nearest_away) return below >= 0;
  return cast.format->mantissa_bits == 0 || below % 2 != 0;
}

/// The rank that x is rounded to, which may be one beyond the last.
template <class Number>
int rounded_rank(const Cast& cast, const Number& x) {
  const SmallFormat& format = *cast.format;
  const auto number = [](double value) { return NumberTraits<Number>::from_real(value); };
  const int below = rank_below(format, x);
  if (below > format.highest() || !(number(format.at(below)) < x)) return below;
  if (cast.rounding == Rounding::up) return below + 1;
  if (cast.rounding == Rounding::zero) return below < 0 ? below + 1 : below;
  const Number middle = number(format.at(below) / 2 + format.at(below + 1) / 2);
  const bool goes_up = middle < x || (!(x < middle) && tie_goes_up(cast, below));
  return goes_up ? below + 1 : below;
}

inline double value_at(const Cast& cast, int rank) {
  const SmallFormat& format = *cast.format;
  const int within = std::clamp(rank, format.lowest(), format.highest());
  if (within == rank || cast.saturates || format.specials == Specials::none) return format.at(within);
  if (format.specials != Specials::ieee) return std::numeric_limits<double>::quiet_NaN();
  return rank < 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

}  // namespace detail

/// x rounded to a format, exact in every number type that has the format's numbers.
template <class Number>
Number rounded_to(const Cast& cast, const Number& x) {
  if (NumberTraits<Number>::is_nan(x)) return x;
  return NumberTraits<Number>::from_real(detail::value_at(cast, detail::rounded_rank(cast, x)));
}

/// The ends of what numbers from `lower` to `upper` may become.
struct RoundedEnds {
  double lower = 0, upper = 0;
};

inline RoundedEnds rounded_ends(const Cast& cast, double lower, double upper) {
  if (cast.rounding != Rounding::stochastic) return {rounded_to(cast, lower), rounded_to(cast, upper)};
  const Cast up{cast.format, Rounding::up, cast.saturates};
  return {detail::value_at(cast, detail::rank_below(*cast.format, lower)), rounded_to(up, upper)};
}

#if ASSAY_HAVE_CERTIFIED
/// A rounding never falls: its ends are those of the ball, rounded.
template <>
inline Ball rounded_to<Ball>(const Cast& cast, const Ball& x) {
  const BigFloat lower = x.lower(), upper = x.upper();
  if (NumberTraits<Ball>::is_nan(x) || isnan(lower) || isnan(upper)) return NumberTraits<Ball>::nan();
  const double first = detail::value_at(cast, detail::rounded_rank(cast, lower)),
               last = detail::value_at(cast, detail::rounded_rank(cast, upper));
  if (first == last) return Ball(first);
  return std::isfinite(first) && std::isfinite(last) ? Ball::between(BigFloat(first), BigFloat(last))
                                                     : NumberTraits<Ball>::nan();
}
#endif

}  // namespace assay::reference
