// Kernels whose results depend on the arithmetic. Each thread reads x[4 i] to x[4 i + 3] and writes y[i] or y[24 i] on.
#include <metal_stdlib>
using namespace metal;

#define KERNEL(name) kernel void name(device const float* x, device float* y, uint i [[thread_position_in_grid]])

KERNEL(tanh_of_x) {
  y[i] = tanh(x[4 * i]);
}
KERNEL(tanh_of_half) {
  y[i] = tanh(half(x[4 * i]));
}
KERNEL(exp_of_minus_x) {
  y[i] = exp(-x[4 * i]);
}
KERNEL(difference) {
  const float p = x[4 * i] * x[4 * i + 1];
  const float q = x[4 * i + 2] * x[4 * i + 3];
  y[i] = p - q;
}
KERNEL(difference_in_one_statement) {
  y[i] = x[4 * i] * x[4 * i + 1] - x[4 * i + 2] * x[4 * i + 3];
}
KERNEL(uncontracted_difference) {
#pragma METAL fp contract(off)
  y[i] = x[4 * i] * x[4 * i + 1] - x[4 * i + 2] * x[4 * i + 3];
}
KERNEL(difference_in_safe_section) {
#pragma METAL fp math_mode(safe)
  const float p = x[4 * i] * x[4 * i + 1];
  const float q = x[4 * i + 2] * x[4 * i + 3];
  y[i] = p - q;
}
KERNEL(lost_part_of_sum) {
  const float sum = x[4 * i] + x[4 * i + 1];
  y[i] = (sum - x[4 * i]) - x[4 * i + 1];
}
KERNEL(is_nan) {
  y[i] = isnan(x[4 * i]) ? 1 : 0;
}
KERNEL(half_of_x) {
  y[i] = x[4 * i] * 0.5f;
}
KERNEL(quotient) {
  y[i] = x[4 * i] / x[4 * i + 1];
}
KERNEL(quotient_in_safe_section) {
#pragma METAL fp math_mode(safe)
  y[i] = x[4 * i] / x[4 * i + 1];
}
KERNEL(functions) {
  const float a = x[4 * i];
  device float* to = y + 24 * i;
#define BOTH(call) *to++ = precise::call, *to++ = fast::call;
  BOTH(exp(a))
  BOTH(exp2(a))
  BOTH(log(a))
  BOTH(log2(a))
  BOTH(sin(a))
  BOTH(cos(a))
  BOTH(rsqrt(a))
  BOTH(sqrt(a))
  BOTH(tanh(a))
  BOTH(pow(a, 1.5f))
  BOTH(atan2(a, 2.0f))
  BOTH(divide(a, 3.0f))
}
