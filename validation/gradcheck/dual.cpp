#include "validation/gradcheck/dual.h"

#include "validation/core/number.h"

#if defined(ASSAY_HAVE_MPFR)
namespace assay::reference {
namespace {

template <class Function, class... Operands>
BigFloat computed(Function function, const Operands&... operands) {
  BigFloat result;
  function(result.data(), operands.data()..., MPFR_RNDN);
  return result;
}

}  // namespace

BigFloat sin(const BigFloat& x) {
  return computed(mpfr_sin, x);
}
BigFloat cos(const BigFloat& x) {
  return computed(mpfr_cos, x);
}
BigFloat tanh(const BigFloat& x) {
  return computed(mpfr_tanh, x);
}
BigFloat pow(const BigFloat& x, const BigFloat& y) {
  return computed(mpfr_pow, x, y);
}
BigFloat max(const BigFloat& x, const BigFloat& y) {
  return x < y ? y : x;
}
BigFloat min(const BigFloat& x, const BigFloat& y) {
  return y < x ? y : x;
}

}  // namespace assay::reference
#endif

namespace assay::validation {
namespace {

using Traits = reference::NumberTraits<BigFloat>;

double size(const BigFloat& x) {
  return std::abs(to_double(x));
}

}  // namespace

Dual Dual::input(const BigFloat& value, int derivative) {
  Dual x(value);
  x.derivative_ = BigFloat(derivative);
  x.value_error_ = size(value);
  return x;
}

Dual operator+(const Dual& a, const Dual& b) {
  Dual sum(a.value_ + b.value_);
  sum.derivative_ = a.derivative_ + b.derivative_;
  sum.value_error_ = a.value_error_ + b.value_error_ + size(sum.value_);
  sum.derivative_error_ = a.derivative_error_ + b.derivative_error_ + size(sum.derivative_);
  if (a.is_constant() && b.is_constant()) sum.value_error_ = 0;
  return sum;
}

Dual operator-(const Dual& a) {
  Dual negative = a;
  negative.value_ = -a.value_;
  negative.derivative_ = -a.derivative_;
  return negative;
}

Dual operator-(const Dual& a, const Dual& b) {
  return a + -b;
}

Dual operator*(const Dual& a, const Dual& b) {
  Dual product(a.value_ * b.value_);
  const BigFloat left = a.derivative_ * b.value_, right = a.value_ * b.derivative_;
  product.derivative_ = left + right;
  const double a_size = size(a.value_), b_size = size(b.value_);
  product.value_error_ = a_size * b.value_error_ + b_size * a.value_error_ + size(product.value_);
  product.derivative_error_ = size(a.derivative_) * b.value_error_ + b_size * a.derivative_error_ + size(left) +
                              size(b.derivative_) * a.value_error_ + a_size * b.derivative_error_ + size(right) +
                              size(product.derivative_);
  if (a.is_constant() && b.is_constant()) product.value_error_ = 0;
  return product;
}

Dual operator/(const Dual& a, const Dual& b) {
  const BigFloat inverse = BigFloat(1) / b.value_;
  const BigFloat first = -(inverse * inverse);
  return a * Dual::apply(b, inverse, first, BigFloat(-2) * first * inverse);
}

Dual Dual::apply(const Dual& a, const BigFloat& h, const BigFloat& first, const BigFloat& second) {
  constexpr double of_library = 4;
  Dual result(h);
  if (a.is_constant()) return result;
  result.derivative_ = first * a.derivative_;
  result.value_error_ = size(first) * a.value_error_ + of_library * size(h);
  result.derivative_error_ = size(first) * a.derivative_error_ + size(second) * size(a.derivative_) * a.value_error_ +
                             (of_library + 1) * size(result.derivative_);
  return result;
}

Dual exp(const Dual& a) {
  const BigFloat h = Traits::exp(a.value_);
  return Dual::apply(a, h, h, h);
}

Dual log(const Dual& a) {
  const BigFloat inverse = BigFloat(1) / a.value_;
  return Dual::apply(a, Traits::log(a.value_), inverse, -(inverse * inverse));
}

Dual log1p(const Dual& a) {
  const BigFloat inverse = BigFloat(1) / (BigFloat(1) + a.value_);
  return Dual::apply(a, Traits::log1p(a.value_), inverse, -(inverse * inverse));
}

Dual expm1(const Dual& a) {
  const BigFloat slope = Traits::exp(a.value_);
  return Dual::apply(a, Traits::expm1(a.value_), slope, slope);
}

Dual sqrt(const Dual& a) {
  const BigFloat h = Traits::sqrt(a.value_);
  const BigFloat first = BigFloat(1) / (BigFloat(2) * h);
  return Dual::apply(a, h, first, -first / (BigFloat(2) * a.value_));
}

Dual sin(const Dual& a) {
  const BigFloat h = sin(a.value_);
  return Dual::apply(a, h, cos(a.value_), -h);
}

Dual cos(const Dual& a) {
  const BigFloat h = cos(a.value_);
  return Dual::apply(a, h, -sin(a.value_), -h);
}

Dual tanh(const Dual& a) {
  const BigFloat h = tanh(a.value_);
  const BigFloat first = BigFloat(1) - h * h;
  return Dual::apply(a, h, first, BigFloat(-2) * h * first);
}

Dual pow(const Dual& a, const Dual& b) {
  if (!b.is_constant()) return exp(b * log(a));
  const BigFloat& p = b.value_;
  const BigFloat less = p - BigFloat(1);
  const BigFloat first = p == BigFloat(0) ? BigFloat(0) : BigFloat(p * pow(a.value_, less));
  const bool linear = p == BigFloat(0) || p == BigFloat(1);
  const BigFloat second = linear ? BigFloat(0) : BigFloat(p * less * pow(a.value_, BigFloat(less - BigFloat(1))));
  return Dual::apply(a, pow(a.value_, p), first, second);
}

Dual abs(const Dual& a) {
  return a.value_ < BigFloat(0) ? -a : a;
}

}  // namespace assay::validation
