// What the integer functions of functions.def need, and those of bits: Metal Shading Language Specification, section 6.6.
#pragma once

#include <assay/limits.h>
#include <assay/types.h>

namespace metal {
namespace assay_detail {

template <class T>
using Wide = conditional_t<sizeof(T) == 8, conditional_t<is_signed_v<T>, __int128, unsigned __int128>,
                           conditional_t<is_signed_v<T>, long, unsigned long>>;
template <class T>
inline constexpr int bits = 8 * sizeof(T);
template <class T>
using Unsigned = make_unsigned_t<T>;

template <class T>
ASSAY_OWN constexpr int leading_zeros(T x) {
  return __builtin_clzl(Unsigned<T>(x)) - (64 - bits<T>);
}
template <class T>
ASSAY_OWN constexpr T saturated(Wide<T> value) {
  constexpr Wide<T> min = numeric_limits<T>::min(), max = numeric_limits<T>::max();
  return T(value < min ? min : value > max ? max : value);
}
template <class T>
ASSAY_OWN constexpr T rotated(T x, T y) {
  const Unsigned<T> v = Unsigned<T>(x);
  const int n = int(Unsigned<T>(y) % bits<T>);
  return T(n == 0 ? v : Unsigned<T>(v << n | v >> (bits<T> - n)));
}
template <class T>
ASSAY_OWN constexpr T reversed(T x) {
  unsigned long result = 0;
  for (int n = 0; n < bits<T>; ++n) result = result << 1 | (static_cast<unsigned long>(x) >> n & 1);
  return T(result);
}
/// x - y. For unsigned operands the difference in Wide would wrap below zero.
template <class T>
ASSAY_OWN constexpr T difference_saturated(T x, T y) {
  if constexpr (is_unsigned_v<T>)
    return x < y ? T(0) : T(x - y);
  else
    return saturated<T>(Wide<T>(x) - Wide<T>(y));
}

}  // namespace assay_detail

/// `count` bits of x from `offset` on, sign-extended where x is signed. Bits beyond the width are undefined: the shifts
/// are reported at the line of the call.
template <class T>
ASSAY_IN_PLACE constexpr T extract_bits(T x, uint offset, uint count) {
  if (count == 0) return T(0);
  const uint above = assay_detail::bits<T> - offset - count;
  return T(T(assay_detail::Unsigned<T>(x) << above) >> (above + offset));
}
template <class T>
ASSAY_IN_PLACE constexpr T insert_bits(T base, T insert, uint offset, uint count) {
  const unsigned long ones = count == 64 ? ~0ul : (1ul << count) - 1, mask = ones << offset;
  return T((static_cast<unsigned long>(base) & ~mask) | (static_cast<unsigned long>(insert) << offset & mask));
}

}  // namespace metal
