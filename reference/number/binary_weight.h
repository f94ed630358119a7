// BinaryWeight: exact sums of powers of two, with exp(k) = 2^k for a whole number k.
//
// Properties of sums of exponentials that follow from exp(a) exp(b) = exp(a + b) can be shown in BinaryWeight digit by
// digit.
#pragma once

#include <stdexcept>
#include <utility>

#include "reference/number/exact.h"
#include "reference/number/traits.h"

namespace assay::reference {

class BinaryWeight {
 public:
  explicit BinaryWeight(int x) : value_(x) {}
  explicit BinaryWeight(Rational x) : value_(std::move(x)) {}

  const Rational& value() const { return value_; }

  BinaryWeight& operator+=(const BinaryWeight& x) { return value_ += x.value_, *this; }
  BinaryWeight& operator*=(const BinaryWeight& x) { return value_ *= x.value_, *this; }
  bool operator==(const BinaryWeight&) const = default;

 private:
  Rational value_;
};

template <>
struct NumberTraits<BinaryWeight> {
  using Scalar = Rational;

  /// 2^k. Throws std::domain_error unless k is a whole number of at most 2^20 in size.
  static BinaryWeight exp(const Rational& k) {
    const Integer limit = 1 << 20, whole = numerator(k);
    if (denominator(k) != 1 || whole > limit || whole < -limit)
      throw std::domain_error("BinaryWeight: expected a whole exponent in [-2^20, 2^20], got " + k.str());
    const int exponent = whole.convert_to<int>();
    const Integer power = Integer(1) << static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
    return BinaryWeight(exponent < 0 ? Rational(Integer(1), power) : Rational(power));
  }
  static const Rational& value(const BinaryWeight& x) { return x.value(); }
  static bool is_zero(const BinaryWeight& x) { return x.value().is_zero(); }
  static bool is_positive(const BinaryWeight& x) { return x.value() > 0; }
};

}  // namespace assay::reference
