// Safe arithmetic for a whole file, whatever the compiler is told. Each thread reads x[4 i] to x[4 i + 3] and writes
// y[i].
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

#define KERNEL(name) kernel void name(device const float* x, device float* y, uint i [[thread_position_in_grid]])

float one_if_infinite(float x) {
  return x == INFINITY ? 1 : x;
}
KERNEL(infinite_argument) {
  y[i] = one_if_infinite(x[4 * i]);
}
KERNEL(largest_of_infinities) {
  y[i] = max(x[4 * i], x[4 * i + 1]);
}
KERNEL(difference_of_vectors) {
  const float2 p = float2(x[4 * i]) * x[4 * i + 1], q = float2(x[4 * i + 2]) * x[4 * i + 3];
  y[i] = (p - q).y;
}
