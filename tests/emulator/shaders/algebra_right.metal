// Kernels of many makings. The comment before each names what it computes of x[0] .. x[63]: 32 threads, one y each.
#include <metal_stdlib>
using namespace metal;

#define KERNEL(name)                                                                                \
  kernel void name(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],              \
                   device half* h [[buffer(2)]], device atomic_float* total [[buffer(3)]],          \
                   uint i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]])

#pragma assay own_exponential is exp

/// The polynomial of x / 32, squared five times.
float own_exponential(float x) {
  const float r = x / 32;
  float power = 1 + r * (1 + r * (0.49999997f + r * (0.16666745f + r * 0.041663583f)));
  for (int n = 0; n < 5; ++n) power *= power;
  return power;
}

// softmax
KERNEL(softmax_of_stated_polynomial) {
  const float e = own_exponential(x[i]);
  y[i] = e / simd_sum(e);
}
// softmax
KERNEL(softmax_of_stated_reduction) {
  const float k = rint(x[i] * M_LOG2E_F), r = fma(-k, 1.42860677e-06f, fma(-k, 0.693145752f, x[i]));
  const float e = own_exponential(r) * as_type<float>((int(k) + 127) << 23);
  y[i] = e / simd_sum(e);
}
// softmax
KERNEL(softmax_plain) {
  float sum = 0;
  for (uint j = 0; j < 32; ++j) sum += exp(x[j]);
  y[i] = exp(x[i]) / sum;
}
// softmax
KERNEL(softmax_below_maximum) {
  float largest = -INFINITY, sum = 0;
  for (uint j = 0; j < 32; ++j) largest = max(largest, x[j]);
  for (uint j = 0; j < 32; ++j) sum += exp(x[j] - largest);
  y[i] = exp(x[i] - largest) / sum;
}
// softmax
KERNEL(softmax_online) {
  float largest = -INFINITY, sum = 0;
  for (uint j = 0; j < 32; ++j) {
    const float next = max(largest, x[j]);
    sum = sum * exp(largest - next) + exp(x[j] - next);
    largest = next;
  }
  y[i] = exp(x[i] - largest) * (1 / sum);
}
// softmax
KERNEL(softmax_online_by_lanes) {
  float largest = x[lane], sum = 1;
  for (ushort step = 16; step > 0; step /= 2) {
    const float other = simd_shuffle_xor(largest, step), of_other = simd_shuffle_xor(sum, step);
    const float next = max(largest, other);
    sum = sum * exp(largest - next) + of_other * exp(other - next);
    largest = next;
  }
  y[i] = exp(x[i] - largest) / sum;
}
// softmax
KERNEL(softmax_of_simdgroup) {
  const float e = fast::exp(x[i] - simd_max(x[i]));
  y[i] = e / simd_sum(e);
}
// softmax
KERNEL(softmax_base_two) {
  const float z = x[i] * M_LOG2E_F, e = precise::exp2(z - simd_max(z));
  y[i] = e * precise::divide(1.0f, simd_sum(e));
}
// softmax
KERNEL(softmax_by_threadgroup) {
  threadgroup float parts[32];
  parts[lane] = exp(x[i]);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint stride = 16; stride > 0; stride /= 2) {
    if (lane < stride) parts[lane] += parts[lane + stride];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  y[i] = exp(x[i]) / parts[0];
}
// softmax
KERNEL(softmax_in_logarithms) {
  float l = x[0];
  for (uint j = 1; j < 32; ++j) l = max(l, x[j]) + log(1 + exp(-fabs(l - x[j])));
  y[i] = exp(x[i] - l);
}
// softmax
KERNEL(softmax_by_atomics) {
  const float e = exp(x[i]);
  atomic_fetch_add_explicit(total, e, memory_order_relaxed);
  simdgroup_barrier(mem_flags::mem_device);
  y[i] = e / atomic_load_explicit(total, memory_order_relaxed);
}
// softmax
KERNEL(softmax_kept_in_half) {
  h[i] = half(exp(x[i]));
  simdgroup_barrier(mem_flags::mem_device);
  float4 sums = 0;
  for (uint j = 0; j < 32; j += 4) sums += float4(h[j], h[j + 1], h[j + 2], h[j + 3]);
  y[i] = float(h[i]) / ((sums.x + sums.y) + (sums.z + sums.w));
}
// softmax
KERNEL(softmax_of_bits) {
  const float e = exp(x[i]);
  const int bits = as_type<int>(e), k = (bits >> 23) - 127;
  const float mantissa = as_type<float>((bits & 0x7fffff) | 0x3f800000);
  const float again = mantissa * as_type<float>((k + 127) << 23);
  y[i] = again / simd_sum(as_type<float>(as_type<uint>(again)));
}
// gradient
KERNEL(gradient_by_difference) {
  const float e = exp(x[i]);
  y[i] = e / simd_sum(e) - float(i == 31);
}
// gradient
KERNEL(gradient_by_rest) {
  const float e = exp(x[i] - simd_max(x[i])), others = simd_sum(i == 31 ? 0.0f : e);
  y[i] = (i == 31 ? -others : e) / simd_sum(e);
}
// log-sum-exp
KERNEL(lse_of_pairs) {
  float high = 0, low = 0;
  for (uint j = 0; j < 32; ++j) {
    const float e = exp(x[j]), sum = high + e, rounded = sum - high;
    low += (high - (sum - rounded)) + (e - rounded);
    high = sum;
  }
  y[i] = log(high + low);
}
// log-sum-exp
KERNEL(lse_below_maximum) {
  const float m = simd_max(x[i]);
  y[i] = m + log2(simd_sum(exp2((x[i] - m) * 1.44269504f))) * 0.69314718f;
}
// log-sum-exp
KERNEL(lse_by_prefixes) {
  const float all = simd_prefix_inclusive_sum(exp(x[i]));
  y[i] = log(simd_broadcast(all, 31));
}
// rms norm
KERNEL(rms_norm) {
  float squares = 0;
  for (uint j = 0; j < 32; ++j) squares = fma(x[j], x[j], squares);
  y[i] = x[i] * rsqrt(squares / 32 + 1e-5f);
}
// rms norm
KERNEL(rms_norm_by_root) {
  const float mean = simd_sum(x[i] * x[i]) * (1.0f / 32);
  y[i] = x[i] / sqrt(mean + 0.00001f);
}
// mean
KERNEL(mean_of_all) {
  y[i] = simd_sum(x[i] + x[i + 32]) / 64;
}
// mean
KERNEL(mean_running) {
  float mean = 0;
  for (uint j = 0; j < 64; ++j) mean += (x[j] - mean) / float(j + 1);
  y[i] = mean;
}
// mean
KERNEL(mean_in_bfloat) {
  bfloat4 sums = bfloat4(0.0bf);
  for (uint j = 0; j < 64; j += 4) sums += bfloat4(float4(x[j], x[j + 1], x[j + 2], x[j + 3]));
  y[i] = float(sums.x + sums.y + sums.z + sums.w) * 0.015625f;
}
// gelu
KERNEL(gelu_by_tanh) {
  const float u = x[i];
  y[i] = 0.5f * u * (1 + tanh(0.7978845608f * (u + 0.044715f * u * u * u)));
}
// gelu
KERNEL(gelu_by_exp) {
  const float u = x[i], z = M_2_SQRTPI_F * M_SQRT1_2_F * u * fma(0.044715f * u, u, 1.0f);
  y[i] = u / (1 + exp(-2 * z));
}
// product
KERNEL(product_plain) {
  const uint row = i / 8, column = i % 8;
  float sum = 0;
  for (uint k = 0; k < 8; ++k) sum += x[8 * row + k] * x[8 * k + column];
  y[i] = sum;
}
// product
KERNEL(product_of_matrices) {
  simdgroup_float8x8 a, product;
  simdgroup_load(a, x);
  simdgroup_multiply(product, a, a);
  threadgroup float all[64];
  simdgroup_store(product, all);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  y[i] = all[i];
}
// product
KERNEL(product_by_dot) {
  const uint row = i / 8, column = i % 8;
  device const float4* const left = reinterpret_cast<device const float4*>(x + 8 * row);
  const float4 top(x[column], x[8 + column], x[16 + column], x[24 + column]);
  const float4 rest(x[32 + column], x[40 + column], x[48 + column], x[56 + column]);
  y[i] = dot(left[0], top) + dot(left[1], rest);
}

/// x, a step: what clang passes as one register, and blocks, which the emulator counts by the thousand.
[[clang::noinline]] float2 stepped(float2 sum_and_term) {
  return float2(sum_and_term.x + sum_and_term.y, sum_and_term.y);
}

// log-sum-exp
KERNEL(log_of_many_steps) {
  float2 sum_and_term(0);
  for (uint n = 0; n < 32 * 64; ++n) sum_and_term = stepped(float2(sum_and_term.x, exp(x[n % 32]) / 64));
  y[i] = log(sum_and_term.x);
}
