// Kernels that lose digits on the line with "// here". x[i] is i.
#include <metal_stdlib>
using namespace metal;

#define KERNEL(name)                                                                          \
  kernel void name(device const float* x, device float* y, device half* h, device bfloat* b, \
                   device atomic_float* sum, uint i [[thread_position_in_grid]])

// Softmax and cross-entropy.
KERNEL(softmax_in_half) {
  half total = 0;
  for (uint j = 0; j < 2048; ++j)
    total += half(1.0f / (1 + j % 7));  // here
  y[i] = 1 / float(total);
}
KERNEL(log_of_one_minus) {
  const float p = exp(-9 - x[i] / 8);
  const float rest = 1 - p;
  y[i] = log(rest);  // here
}
KERNEL(log_of_one_plus) {
  const float e = exp(-x[i] / 4 - 8);
  const float grown = 1 + e;
  y[i] = log(grown);  // here
}
KERNEL(gradient_of_a_sure_class) {
  const float p = 1 / (1 + exp(-10 - x[i] / 8));
  y[i] = p - 1;  // here
}
KERNEL(entropy_difference) {
  const float a = log(100 + x[i]), shifted = log(100.0001f + x[i]);
  y[i] = shifted - a;  // here
}
KERNEL(logit_softcap) {
  const float capped = tanh(12 + x[i] / 32);
  y[i] = 1 - capped * capped;  // here
}
KERNEL(loss_of_large_logits) {
  const float logit = 3000 + sin(x[i]) * 7;
  const float largest = logit + log(1 + x[i] / 100);
  y[i] = largest - logit;  // here
}
KERNEL(perplexity) {
  const float mean = 80 + x[i] / 13;
  y[i] = exp(mean);  // here
}
// CTC.
KERNEL(alpha_in_logarithms) {
  float alpha = -1;
  for (uint t = 0; t < 400; ++t) alpha -= 3 + sin(x[i] + t);
  const float other = alpha + x[i] / 64 + 0.01f;
  y[i] = other - alpha;  // here
}
KERNEL(alpha_beta_over_total) {
  const float alpha = -800 - sin(x[i]), beta = -700 - cos(x[i]);
  const float total = alpha + beta - 0.001f * (1 + x[i]);
  const float posterior = alpha + beta - total;  // here
  y[i] = posterior;
}
KERNEL(alpha_in_bfloat) {
  bfloat alpha = bfloat(0);
  for (uint t = 0; t < 200; ++t)
    alpha = alpha + bfloat(-0.3f);  // here
  y[i] = float(alpha);
}
KERNEL(blank_probability) {
  const float labels = 0.99999f - x[i] * 1e-7f;
  const float emitted = labels * 0.999999f;
  y[i] = 1.0f - emitted;  // here
}
KERNEL(log_add_of_close_paths) {
  const float one = -500 - cos(x[i]), other = one - 1e-3f * (1 + x[i]);
  const float difference = exp(one - other) - 1;  // here
  y[i] = difference;
}
KERNEL(gradient_as_a_difference) {
  const float p = exp(-x[i] / 100) / 3;
  const float occupancy = p * (1 + 3e-6f);
  y[i] = p - occupancy;  // here
}
// Norms.
KERNEL(variance_of_squares) {
  float s = 0, q = 0;
  for (uint j = 0; j < 32; ++j) s += x[j] + 500.1f, q += (x[j] + 500.1f) * (x[j] + 500.1f);
  const float mean = s / 32;
  y[i] = q / 32 - mean * mean;  // here
}
KERNEL(variance_in_half) {
  half q = 0;
  for (half j = 0; j < 32; ++j)
    q = q + (j * half(0.71)) * (j * half(0.71)) / half(32);  // here
  h[i] = q;
}
KERNEL(layer_norm_of_a_constant_row) {
  float s = 0;
  for (uint j = 0; j < 32; ++j) s += 1234.567f + x[j] * 1e-3f;
  const float centred = 1234.567f + x[i] * 1e-3f - s / 32;  // here
  y[i] = centred;
}
KERNEL(sum_of_many) {
  float total = 16777216.0f;
  for (uint j = 0; j < 60000; ++j)
    total += 0.9f;  // here
  y[i] = total / 3;
}
KERNEL(mean_in_bfloat) {
  bfloat total = bfloat(0);
  for (uint j = 0; j < 512; ++j)
    total += bfloat(1.0f + x[j % 32] / 64);  // here
  y[i] = float(total) / 512;
}
KERNEL(normalised_in_half) {
  const half norm = half(0.001f + x[i] * 1e-6f);
  const float shifted = float(norm) - 0.001f;  // here
  y[i] = shifted;
}
KERNEL(residual_stream) {
  float stream = 20000 + x[i] / 3;
  const float before = stream;
  stream += 1e-3f * sin(x[i] + 1);
  y[i] = stream - before;  // here
}
KERNEL(root_mean_square_epsilon) {
  const float square = x[i] * x[i] * 1e-3f + 4;
  const float scale = sqrt(square + 1e-6f) - sqrt(square);  // here
  y[i] = scale;
}
// Attention.
KERNEL(rotary_phase) {
  const float angle = (30000 + x[i]) * 0.7853982f;
  y[i] = sin(angle);  // here
}
KERNEL(scores_in_half) {
  half score = 0;
  for (uint j = 0; j < 64; ++j)
    score += half(sin(x[j % 32] * (1 + i))) * half(2.3f);  // here
  y[i] = float(score);
}
KERNEL(attention_weights_shifted) {
  const float score = 5000 + sin(x[i]) / 10;
  const float weight = exp(score - 5000);  // here
  y[i] = weight;
}
KERNEL(rescaled_accumulator) {
  float accumulator = 1;
  for (uint j = 0; j < 32; ++j)
    accumulator = accumulator * (0.9f + x[i] / 512) + 1 / (x[j] + 1);  // here
  y[i] = accumulator / 3;
}
KERNEL(difference_of_keys) {
  const float3 query = float3(1000.1f, x[i], 3), key = float3(1000.1f, x[i] + 1e-3f, 3);
  const float near = length_squared(query) - length_squared(key);  // here
  y[i] = near;
}
// SVD.
KERNEL(small_eigenvalue) {
  const float a = 100.1f + x[i], d = 100.2f + x[i], off = 100.15f + x[i];
  y[i] = a * d - off * off;  // here
}
KERNEL(root_of_a_quadratic) {
  const float p = 3000 + x[i] / 7;
  y[i] = p - sqrt(p * p - 1);  // here
}
KERNEL(givens_angle) {
  const float c = cos(1e-3f * (1 + x[i] / 64));
  y[i] = 1 - c;  // here
}
KERNEL(gram_schmidt) {
  const float u = 0.6f, v = 0.8f, p = 3 + 1e-4f * x[i], q = 4.0001f;
  const float along = p * u + q * v;
  y[i] = p - along * u;  // here
}
KERNEL(deflation) {
  const float sigma = 10 + x[i] / 3, shift = sigma * (1 + 2e-6f);
  y[i] = (sigma - shift) * (sigma + shift);  // here
}
