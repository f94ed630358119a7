// bfloat: Metal Shading Language Specification, section 2.1. Its arithmetic is that of float, rounded after each
// operation to nearest, ties to even.
//
// The compiler's own __bf16 does not convert to and from half, so that a class carries it.
#pragma once

#include <assay/scalar.h>

/// What the compiler calls where the processor has no instruction for it, and its library may lack.
extern "C" __attribute__((used, visibility("hidden"), no_sanitize("thread"))) inline __bf16 __truncsfbf2(float value) {
  const uint bits = __builtin_bit_cast(uint, value), magnitude = bits & 0x7fffffffu;
  const uint rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16, nan = bits >> 16 | 0x40u;
  return __builtin_bit_cast(__bf16, ushort(magnitude > 0x7f800000u ? nan : rounded));
}

#if __METAL_VERSION__ >= 310

struct bfloat {
  __bf16 value;
  bfloat() = default;
  template <class S, class = metal::enable_if_t<metal::is_arithmetic_v<S>>>
  ASSAY_OWN constexpr bfloat(S s) : value(static_cast<__bf16>(static_cast<float>(s))) {}
  template <class S, metal::enable_if_t<!metal::is_arithmetic_v<S> && metal::is_convertible_v<S, float>, int> = 0>
  ASSAY_OWN explicit constexpr bfloat(S s) : bfloat(static_cast<float>(s)) {}
  ASSAY_IN_PLACE constexpr operator float() const { return value; }
  ASSAY_OWN friend constexpr bfloat operator-(bfloat a) { return -float(a); }
  ASSAY_OWN friend constexpr bfloat operator+(bfloat a) { return a; }
#define ASSAY_BFLOAT_OPERATORS(R, op) \
  ASSAY_OWN friend constexpr R operator op(bfloat a, bfloat b) { return float(a) op float(b); }
  ASSAY_BFLOAT_OPERATORS(bfloat, +)
  ASSAY_BFLOAT_OPERATORS(bfloat, -)
  ASSAY_BFLOAT_OPERATORS(bfloat, *)
  ASSAY_BFLOAT_OPERATORS(bfloat, /)
  ASSAY_BFLOAT_OPERATORS(bool, ==)
  ASSAY_BFLOAT_OPERATORS(bool, !=)
  ASSAY_BFLOAT_OPERATORS(bool, <)
  ASSAY_BFLOAT_OPERATORS(bool, >)
  ASSAY_BFLOAT_OPERATORS(bool, <=)
  ASSAY_BFLOAT_OPERATORS(bool, >=)
#undef ASSAY_BFLOAT_OPERATORS
};

namespace metal {

using ::bfloat;

namespace detail {
/// bfloat with an integer is bfloat, with half or float it is float.
template <class S>
using WithBfloat = enable_if_t<is_arithmetic_v<S>, conditional_t<is_integral_v<S>, bfloat, float>>;
}  // namespace detail

}  // namespace metal

#define ASSAY_BFLOAT_OPERATOR(op)                                           \
  template <class S, class R = metal::detail::WithBfloat<S>>                \
  ASSAY_OWN constexpr R operator op(bfloat a, S b) {                        \
    return float(a) op float(R(b));                                         \
  }                                                                         \
  template <class S, class R = metal::detail::WithBfloat<S>>                \
  ASSAY_OWN constexpr R operator op(S a, bfloat b) {                        \
    return float(R(a)) op float(b);                                         \
  }                                                                         \
  template <class S, class = metal::enable_if_t<metal::is_arithmetic_v<S>>> \
  ASSAY_IN_PLACE constexpr bfloat& operator op##=(bfloat & a, S b) {        \
    return a = bfloat(a op b);                                              \
  }
ASSAY_BFLOAT_OPERATOR(+)
ASSAY_BFLOAT_OPERATOR(-)
ASSAY_BFLOAT_OPERATOR(*)
ASSAY_BFLOAT_OPERATOR(/)
#undef ASSAY_BFLOAT_OPERATOR

#define ASSAY_BFLOAT_COMPARE(op)                             \
  template <class S, class R = metal::detail::WithBfloat<S>> \
  ASSAY_OWN constexpr bool operator op(bfloat a, S b) {      \
    return float(a) op float(R(b));                          \
  }                                                          \
  template <class S, class R = metal::detail::WithBfloat<S>> \
  ASSAY_OWN constexpr bool operator op(S a, bfloat b) {      \
    return float(R(a)) op float(b);                          \
  }
ASSAY_BFLOAT_COMPARE(==)
ASSAY_BFLOAT_COMPARE(!=)
ASSAY_BFLOAT_COMPARE(<)
ASSAY_BFLOAT_COMPARE(>)
ASSAY_BFLOAT_COMPARE(<=)
ASSAY_BFLOAT_COMPARE(>=)
#undef ASSAY_BFLOAT_COMPARE

ASSAY_IN_PLACE constexpr bfloat& operator++(bfloat& a) {
  return a += 1;
}
ASSAY_IN_PLACE constexpr bfloat& operator--(bfloat& a) {
  return a -= 1;
}
ASSAY_IN_PLACE constexpr bfloat operator++(bfloat& a, int) {
  const bfloat before = a;
  a += 1;
  return before;
}
ASSAY_IN_PLACE constexpr bfloat operator--(bfloat& a, int) {
  const bfloat before = a;
  a -= 1;
  return before;
}

#endif
