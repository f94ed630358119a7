// Kernels of which numcheck must say nothing, though infinities or roundings occur in them. x[i] is i.
#include <metal_stdlib>
using namespace metal;

#define KERNEL(name) kernel void name(device const float* x, device float* y, uint i [[thread_position_in_grid]])

KERNEL(sigmoid) {
  y[i] = 1 / (1 + exp(-8 * x[i] + 8)) + 1 / (1 + exp(8 * x[i]));
}
KERNEL(softmax) {
  float largest = -INFINITY, total = 0;
  for (uint j = 0; j < 32; ++j) largest = max(largest, x[j]);
  for (uint j = 0; j < 32; ++j) total += exp(x[j] - largest);
  y[i] = exp(x[i] - largest) / total;
}
KERNEL(masked) {
  y[i] = exp(x[i] > 4 ? -INFINITY : -x[i]);
}
KERNEL(log_sum_exp) {
  const float a = -x[i], b = -2 * x[i];
  y[i] = max(a, b) + log(1 + exp(-fabs(a - b)));
}
KERNEL(exact) {
  half s = 0;
  for (half j = 0; j < 32; ++j) s += j;
  y[i] = float(s) + 0.5f * x[i];
}
KERNEL(rounded_to_whole_number) {
  const float sum = fma(x[i], 0.3f, 0x1.8p23f), k = sum - 0x1.8p23f;
  y[i] = k;
}
