// Right kernels that leave the algebra, so that it says nothing of them. The comment before each names what it computes,
// as in algebra_right.metal.
#include <metal_stdlib>
using namespace metal;

#define KERNEL(name)                                                                                \
  kernel void name(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],              \
                   device half* h [[buffer(2)]], device atomic_float* total [[buffer(3)]],          \
                   uint i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]])

// softmax
KERNEL(polynomial_that_nothing_states) {
  const float r = x[i] / 32;
  float power = 1 + r * (1 + r * (0.49999997f + r * (0.16666745f + r * 0.041663583f)));
  for (int n = 0; n < 5; ++n) power *= power;
  y[i] = power / simd_sum(power);
}
// softmax
KERNEL(reciprocal_by_bits) {
  const float e = exp(x[i]), sum = simd_sum(e);
  float r = as_type<float>(0x7ef311c7 - as_type<int>(sum));
  for (int n = 0; n < 4; ++n) r = r * (2 - sum * r);
  y[i] = e * r;
}
// log-sum-exp
KERNEL(logarithm_by_an_integer_of_bits) {
  y[i] = (float(as_type<int>(simd_sum(exp(x[i])))) - 1064866805.0f) * 8.2629582e-8f;
}
// one more
KERNEL(logarithm_of_what_rounds_to_one) {
  const float all = 1 + exp(x[i] - 20);
  const int bits = as_type<int>(all), k = (bits >> 23) - 127;
  y[i] = log(as_type<float>(bits - (k << 23)) * as_type<float>(127 << 23)) + float(k) * 0.693147181f;
}
