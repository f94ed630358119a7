// BigFloat over mpfr_t. Include big_float.h instead.
//
// A new object has the precision of the thread, a copy that of its source. `a op= b` rounds to the precision of a; `a
// op b` and functions round to the precision of the thread. A moved-from object may only be assigned to or destroyed.
#pragma once

#include <mpfr.h>

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <new>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "reference/number/decimal_point.h"
#include "reference/number/exponential.h"
#include "reference/number/limbs.h"
#include "reference/number/precision.h"
#include "reference/number/traits.h"

namespace assay::reference {

class BigFloat {
 public:
  BigFloat() { make_zero(precision_bits()); }
  template <std::integral Integer>
  BigFloat(Integer x) : BigFloat() {
    static_assert(sizeof(Integer) <= sizeof(long));
    if constexpr (std::is_signed_v<Integer>) {
      mpfr_set_si(value_, x, MPFR_RNDN);
    } else {
      mpfr_set_ui(value_, x, MPFR_RNDN);
    }
  }
  template <std::floating_point Real>
  BigFloat(Real x) : BigFloat() {
    static_assert(sizeof(Real) <= sizeof(double));
    mpfr_set_d(value_, static_cast<double>(x), MPFR_RNDN);
  }
  /// Decimal, as mpfr_set_str reads it. Throws std::invalid_argument where that is not a number.
  explicit BigFloat(const std::string& decimal) : BigFloat() {
    if (mpfr_set_str(value_, decimal.c_str(), 10, MPFR_RNDN) != 0)
      throw std::invalid_argument("decimal = '" + decimal + "': expected a decimal number");
  }
  /// A 0 of `bits` bits, whatever the precision of the thread.
  static BigFloat with_bits(mpfr_prec_t bits) {
    BigFloat result;
    result.release();
    result.make_zero(bits);
    return result;
  }

  BigFloat(const BigFloat& x) {
    if (x.on_heap()) {
      make_zero(mpfr_get_prec(x.value_));
      mpfr_set(value_, x.value_, MPFR_RNDN);
    } else {
      copy_inside(x);
    }
  }
  BigFloat(BigFloat&& x) noexcept { take(x); }
  BigFloat& operator=(const BigFloat& x) {
    if (!on_heap() && !x.on_heap()) return copy_inside(x), *this;
    if (mpfr_get_prec(value_) != mpfr_get_prec(x.value_)) return *this = BigFloat(x);
    mpfr_set(value_, x.value_, MPFR_RNDN);
    return *this;
  }
  BigFloat& operator=(BigFloat&& x) noexcept {
    if (this == &x) return *this;
    release();
    take(x);
    return *this;
  }
  ~BigFloat() { release(); }

  BigFloat& operator+=(const BigFloat& x) { return detail::add(value_, value_, x.value_, MPFR_RNDN), *this; }
  BigFloat& operator-=(const BigFloat& x) { return mpfr_sub(value_, value_, x.value_, MPFR_RNDN), *this; }
  BigFloat& operator*=(const BigFloat& x) { return detail::multiply(value_, value_, x.value_, MPFR_RNDN), *this; }
  BigFloat& operator/=(const BigFloat& x) { return mpfr_div(value_, value_, x.value_, MPFR_RNDN), *this; }

  friend BigFloat operator+(const BigFloat& a, const BigFloat& b) { return make(detail::add, a, b); }
  friend BigFloat operator-(const BigFloat& a, const BigFloat& b) { return make(mpfr_sub, a, b); }
  friend BigFloat operator*(const BigFloat& a, const BigFloat& b) { return make(detail::multiply, a, b); }
  friend BigFloat operator/(const BigFloat& a, const BigFloat& b) { return make(mpfr_div, a, b); }
  friend BigFloat operator-(const BigFloat& x) { return make(mpfr_neg, x); }

  /// sum += a b, rounded once, to the precision of the sum.
  friend void add_product(BigFloat& sum, const BigFloat& a, const BigFloat& b) {
    mpfr_fma(sum.value_, a.value_, b.value_, sum.value_, MPFR_RNDN);
  }

  friend bool operator==(const BigFloat& a, const BigFloat& b) { return mpfr_equal_p(a.value_, b.value_) != 0; }
  friend std::partial_ordering operator<=>(const BigFloat& a, const BigFloat& b) {
    if (mpfr_unordered_p(a.value_, b.value_) != 0) return std::partial_ordering::unordered;
    return mpfr_cmp(a.value_, b.value_) <=> 0;
  }

  friend BigFloat exp(const BigFloat& x) { return make(detail::exp, x); }
  friend BigFloat log(const BigFloat& x) { return make(mpfr_log, x); }
  friend BigFloat log1p(const BigFloat& x) { return make(mpfr_log1p, x); }
  friend BigFloat expm1(const BigFloat& x) { return make(mpfr_expm1, x); }
  friend BigFloat sqrt(const BigFloat& x) { return make(mpfr_sqrt, x); }
  friend BigFloat abs(const BigFloat& x) {
    BigFloat result;
    mpfr_abs(result.value_, x.value_, MPFR_RNDN);
    return result;
  }
  friend bool isfinite(const BigFloat& x) { return mpfr_number_p(x.value_) != 0; }
  friend bool isnan(const BigFloat& x) { return mpfr_nan_p(x.value_) != 0; }

  explicit operator double() const { return mpfr_get_d(value_, MPFR_RNDN); }
  explicit operator float() const { return mpfr_get_flt(value_, MPFR_RNDN); }

  /// `digits` significant decimal digits; 0 for as many as tell this value from its neighbours.
  std::string str(int digits = 0) const {
    char* text = nullptr;
    const int length = digits > 0 ? mpfr_asprintf(&text, "%.*Rg", digits, value_) : mpfr_asprintf(&text, "%Re", value_);
    if (length < 0) throw std::runtime_error("BigFloat::str: MPFR could not format the number");
    std::string result = with_point(text);
    mpfr_free_str(text);
    return result;
  }
  friend std::ostream& operator<<(std::ostream& out, const BigFloat& x) {
    return out << x.str(static_cast<int>(out.precision()));
  }

  /// For MPFR's own functions, to write and to read; not for those that change the precision or free.
  mpfr_ptr data() { return value_; }
  mpfr_srcptr data() const { return value_; }

 private:
  template <class Function, class... Operands>
  static BigFloat make(Function function, const Operands&... operands) {
    BigFloat result;
    function(result.value_, operands.value_..., MPFR_RNDN);
    return result;
  }

  /// Digits live in the object up to 384 bits (114 decimal digits), so that a matrix of BigFloats is one block; longer
  /// ones on the heap. This is MPFR's "custom interface": MPFR computes, the storage is ours.
  static constexpr std::size_t inline_bytes = 48;

  void make_zero(mpfr_prec_t bits) {
    const std::size_t bytes = mpfr_custom_get_size(bits);
    void* digits = bytes <= inline_bytes ? inline_digits_.data() : ::operator new(bytes);
    mpfr_custom_init(digits, bits);
    mpfr_custom_init_set(value_, MPFR_ZERO_KIND, 0, bits, digits);
  }
  bool on_heap() const { return mpfr_custom_get_significand(value_) != inline_digits_.data(); }
  void release() {
    if (on_heap()) ::operator delete(mpfr_custom_get_significand(value_));
  }
  /// Copies x, whose digits are in the object. The digits held before must have been released.
  void copy_inside(const BigFloat& x) noexcept {
    value_[0] = x.value_[0];
    inline_digits_ = x.inline_digits_;
    mpfr_custom_move(value_, inline_digits_.data());
  }
  /// Takes over the digits of x, and leaves x a 0 of one bit if they were on the heap. The digits held before must have
  /// been released.
  void take(BigFloat& x) noexcept {
    if (!x.on_heap()) return copy_inside(x);
    value_[0] = x.value_[0];
    x.make_zero(MPFR_PREC_MIN);
  }

  mpfr_t value_;
  alignas(mp_limb_t) std::array<std::byte, inline_bytes> inline_digits_;
};

BigFloat exp(const BigFloat& x);
BigFloat log(const BigFloat& x);
BigFloat log1p(const BigFloat& x);
BigFloat expm1(const BigFloat& x);
BigFloat sqrt(const BigFloat& x);

template <>
struct NumberTraits<BigFloat> : PlainNumberTraits<BigFloat> {
  static BigFloat exp(const BigFloat& x) { return reference::exp(x); }
  static BigFloat log(const BigFloat& x) { return reference::log(x); }
  static BigFloat log1p(const BigFloat& x) { return reference::log1p(x); }
  static BigFloat expm1(const BigFloat& x) { return reference::expm1(x); }
  static BigFloat sqrt(const BigFloat& x) { return reference::sqrt(x); }
  static BigFloat unit_roundoff() {
    BigFloat u(1);
    mpfr_div_2si(u.data(), u.data(), precision_bits(), MPFR_RNDN);
    return u;
  }

  static bool is_zero(const BigFloat& x) { return mpfr_zero_p(x.data()) != 0; }
  static bool is_positive(const BigFloat& x) { return mpfr_sgn(x.data()) > 0 && mpfr_nan_p(x.data()) == 0; }
  static bool is_finite(const BigFloat& x) { return mpfr_number_p(x.data()) != 0; }
  static bool is_nan(const BigFloat& x) { return mpfr_nan_p(x.data()) != 0; }
  static BigFloat infinity() { return BigFloat(std::numeric_limits<double>::infinity()); }
  static BigFloat nan() { return BigFloat(std::numeric_limits<double>::quiet_NaN()); }

  static double to_double(const BigFloat& x) { return static_cast<double>(x); }
  static std::string to_string(const BigFloat& x, int digits) { return x.str(digits); }
};

}  // namespace assay::reference
