// Unevaluated sums of two floats, high + low, for values that need more precision than float32.
//
// T. J. Dekker, "A floating-point technique for extending the available precision", Numer. Math. 18, 1971;
// D. E. Knuth, The Art of Computer Programming 2, section 4.2.2. Files that include this one turn off fast maths and
// contraction, which would break them.
#pragma once

#include <metal_stdlib>

namespace assay {

using namespace ::metal;

struct Pair {
  float high, low;
};

/// a + b exactly.
inline Pair two_sum(float a, float b) {
  const float sum = a + b;
  const float b_rounded = sum - a;
  return {sum, (a - (sum - b_rounded)) + (b - b_rounded)};
}

/// a * b exactly.
inline Pair two_product(float a, float b) {
  const float product = a * b;
  return {product, fma(a, b, -product)};
}

inline Pair add(Pair a, Pair b) {
  const Pair high = two_sum(a.high, b.high);
  return two_sum(high.high, high.low + (a.low + b.low));
}

inline Pair negated(Pair a) {
  return {-a.high, -a.low};
}

}  // namespace assay
