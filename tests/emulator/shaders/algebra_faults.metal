// Kernels with a fault each, most of which change no digit that a bound could miss. The comment before each names what
// it ought to compute, as in algebra_right.metal.
#include <metal_stdlib>
using namespace metal;

#define KERNEL(name)                                                                                \
  kernel void name(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],              \
                   device half* h [[buffer(2)]], device atomic_float* total [[buffer(3)]],          \
                   uint i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]])

// softmax
KERNEL(one_term_twice) {
  float sum = exp(x[7]);
  for (uint j = 0; j < 32; ++j) sum += exp(x[j]);
  y[i] = exp(x[i]) / sum;
}
// softmax
KERNEL(a_lane_is_dropped) {
  const float e = exp(x[i]);
  y[i] = e / simd_sum(lane == 31 ? 0.0f : e);
}
// softmax
KERNEL(stale_maximum) {
  float largest = -INFINITY, sum = 0;
  for (uint j = 0; j < 32; ++j) {
    const float next = max(largest, x[j]);
    sum = sum * exp(largest - next) + exp(x[j] - (j == 1 ? x[0] : next));
    largest = next;
  }
  y[i] = exp(x[i] - largest) / sum;
}
// softmax
KERNEL(no_rescaling_once) {
  float largest = -INFINITY, sum = 0;
  for (uint j = 0; j < 32; ++j) {
    const float next = max(largest, x[j]);
    sum = j == 0 ? exp(x[j] - next) : sum * exp((j == 1 ? next : largest) - next) + exp(x[j] - next);
    largest = next;
  }
  y[i] = exp(x[i] - largest) / sum;
}
// softmax
KERNEL(another_term_of_1e_12) {
  float sum = 1e-12f;
  for (uint j = 0; j < 32; ++j) sum += exp(x[j]);
  y[i] = exp(x[i]) / sum;
}
// log-sum-exp
KERNEL(mask_off_by_one) {
  const float e = exp(lane < 31 ? x[i] : -20.0f);
  y[i] = log(simd_sum(e));
}
// log-sum-exp
KERNEL(wrong_base) {
  y[i] = log(simd_sum(exp2(x[i] * 1.443f)));
}
// rms norm
KERNEL(epsilon_of_1e_6) {
  y[i] = x[i] * rsqrt(simd_sum(x[i] * x[i]) / 32 + 1e-6f);
}
// gradient
KERNEL(minus_one_for_p_minus_one) {
  const float e = exp(x[i]), p = e / simd_sum(e);
  y[i] = i == 31 ? -1.0f : p;
}
// gradient
KERNEL(one_term_less_in_the_target) {
  const float e = exp(x[i]);
  y[i] = i == 31 ? -simd_sum(lane < 30 ? e : 0.0f) / simd_sum(e) : e / simd_sum(e);
}
// mean
KERNEL(mean_of_63) {
  y[i] = simd_sum(x[i] + (i == 31 ? 0.0f : x[i + 32])) / 64;
}
// gelu
KERNEL(gelu_other_constant) {
  const float u = x[i];
  y[i] = 0.5f * u * (1 + tanh(0.7978845608f * (u + 0.04471f * u * u * u)));
}
// product
KERNEL(wrong_column_once) {
  const uint row = i / 8, column = i % 8;
  float sum = 0;
  for (uint k = 0; k < 8; ++k) sum += x[8 * row + k] * x[8 * k + (k == 7 && i == 9 ? column ^ 1 : column)];
  y[i] = sum;
}
// product
KERNEL(sign_of_one) {
  const uint row = i / 8, column = i % 8;
  float sum = 0;
  for (uint k = 0; k < 8; ++k) sum += (k == 3 ? fabs(x[8 * row + k]) : x[8 * row + k]) * x[8 * k + column];
  y[i] = sum;
}
