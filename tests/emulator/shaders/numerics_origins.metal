// Kernels that make a NaN or an infinity on the line with "// here", then carry it to an output. x[i] is i.
#include <metal_stdlib>
using namespace metal;

#define KERNEL(name)                                                                                            \
  kernel void name(device const float* x, device float* y, device half* h, device bfloat* b,                   \
                   device atomic_float* sum, uint i [[thread_position_in_grid]])

KERNEL(zero_by_zero) {
  const float d = x[i] - x[i];
  const float q = x[0] / d;  // here
  y[i] = q + 1;
}
KERNEL(one_by_zero) {
  const float r = 1.0f / x[i];  // here
  y[i] = r * x[i];
}
KERNEL(log_of_zero_times_zero) {
  const float p = x[i];
  const float information = log(p);  // here
  y[i] = p * information;
}
KERNEL(log_of_negative) {
  const float s = log(x[i] - 5.5f);  // here
  y[i] = s;
}
KERNEL(root_of_negative) {
  const float variance = x[1] - x[i];
  const float deviation = sqrt(variance);  // here
  y[i] = deviation / 2;
}
KERNEL(reciprocal_root_of_zero) {
  const float norm = x[i] * x[i];
  const float scale = rsqrt(norm);  // here
  y[i] = x[i] * scale;
}
KERNEL(exp_overflows) {
  const float e = exp(x[i] * 4);  // here
  y[i] = e / e;
}
KERNEL(softmax_without_shift) {
  float total = 0;
  for (uint j = 0; j < 32; ++j)
    total += exp(x[j] * 3);  // here
  y[i] = exp(x[i]) / total * total;
}
KERNEL(fully_masked_row) {
  float largest = -INFINITY, total = 0;
  for (uint j = 0; j < 32; ++j) largest = max(largest, -INFINITY);
  for (uint j = 0; j < 32; ++j)
    total += exp(-INFINITY - largest);  // here
  y[i] = total;
}
KERNEL(infinity_times_zero) {
  const float mask = x[i] > 8 ? -INFINITY : 0.0f;
  y[i] = mask * x[0];  // here
}
KERNEL(half_conversion_overflows) {
  const half narrow = half(x[i] * 4096);  // here
  y[i] = float(narrow) - float(narrow);
}
KERNEL(half_sum_overflows) {
  half total = 0;
  for (int j = 0; j < 64; ++j)
    total += half(2000);  // here
  h[i] = total;
}
KERNEL(half_product_overflows) {
  const half a = half(x[i] * 16);
  const half square = a * a;  // here
  h[i] = square;
}
KERNEL(bfloat_conversion_overflows) {
  const float largest = as_type<float>(0x7f7fffffu) - x[i];
  b[i] = bfloat(largest);  // here
}
KERNEL(bfloat_product_overflows) {
  const bfloat big = bfloat(1e30f + x[i]);
  const bfloat square = big * big;  // here
  b[i] = square - square;
}
KERNEL(product_overflows) {
  float product = 1;
  for (uint j = 1; j < 60; ++j)
    product *= float(j);  // here
  y[i] = product;
}
KERNEL(power_overflows) {
  const float p = pow(100.0f, x[i]);  // here
  y[i] = p;
}
KERNEL(power_of_negative) {
  const float p = pow(-x[i] - 1, 0.5f);  // here
  y[i] = p;
}
KERNEL(arcsine_beyond_one) {
  const float a = asin(x[i] / 4);  // here
  y[i] = a;
}
KERNEL(arccosine_of_a_rounded_cosine) {
  const float cosine = 1.0000001f;
  y[i] = acos(cosine);  // here
}
KERNEL(logit_of_one) {
  const float p = min(x[i], 1.0f);
  y[i] = log(p / (1 - p));  // here
}
KERNEL(sine_of_infinity) {
  const float phase = exp2(x[i] * 8);  // here
  y[i] = sin(phase);
}
KERNEL(naive_tanh) {
  const float e = exp(4 * x[i]);  // here
  y[i] = (e - 1) / (e + 1);
}
KERNEL(vector_division) {
  const float4 a = float4(x[i], 1, 2, 3), zero = float4(0, 1, 1, 1);
  const float4 q = a / zero;  // here
  y[i] = q.x + q.w;
}
KERNEL(normalised_zero_vector) {
  const float3 v = float3(x[0]);
  const float3 n = normalize(v);  // here
  y[i] = n.y;
}
KERNEL(dot_overflows) {
  const float4 v = float4(1e20f, x[i], 0, 0);
  const float d = dot(v, v);  // here
  y[i] = d;
}
struct State {
  float largest, total;
};
inline State joined(State a, State b) {
  const float largest = max(a.largest, b.largest);
  const float shift = exp(a.largest - largest);  // here: joined_states
  return {largest, a.total * shift + b.total};
}
KERNEL(joined_states) {
  const State none = {-INFINITY, 0};
  const State both = joined(none, none);
  y[i] = both.total;
}
KERNEL(through_threadgroup_memory) {
  threadgroup float tile[32];
  tile[i] = 1 / (x[i] - 3);  // here
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[i] = tile[31 - i] - tile[3];
}
KERNEL(through_a_reduction) {
  const float term = log(x[i]);  // here
  y[i] = simd_sum(term);
}
KERNEL(through_a_shuffle) {
  const float term = 1 / x[i];  // here
  const float other = simd_shuffle_xor(term, 1);
  y[i] = other - other;
}
KERNEL(through_an_atomic) {
  const float term = x[i] == 7 ? sqrt(-x[i]) : 0;  // here
  atomic_fetch_add_explicit(sum, term, memory_order_relaxed);
}
KERNEL(through_device_memory) {
  y[i] = exp(x[i] * 8);  // here
  y[i] = y[i] - y[i];
}
KERNEL(through_a_select) {
  const float r = 1 / x[i];  // here
  y[i] = select(r, r - r, x[i] == 0);
}
KERNEL(divided_by_underflow) {
  const float p = exp(-4 * x[i]);
  y[i] = x[i] / p;  // here
}
KERNEL(log_of_underflow) {
  const float p = exp(-x[i]) * exp(-4 * x[i]);
  y[i] = log(p);  // here
}
KERNEL(quotient_of_underflows) {
  const float first = exp(-40 * x[5] - x[i]);
  const float second = exp(-50 * x[5] - x[i]);
  y[i] = second / first;  // here
}
KERNEL(half_underflow) {
  const half epsilon = half(x[1] * 1e-9f);
  y[i] = x[i] / float(epsilon);  // here
}
KERNEL(matrix_product) {
  simdgroup_float8x8 a = make_filled_simdgroup_matrix<float, 8>(1e25f), c;
  simdgroup_multiply(c, a, a);  // here
  simdgroup_store(c, y);
}
KERNEL(fmod_by_zero) {
  const float r = fmod(x[i], x[0]);  // here
  y[i] = r;
}
