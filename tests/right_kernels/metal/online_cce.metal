// Cross-entropy that keeps no logits: a running maximum and sum for each token, then gradients from logits that are
// computed again, a thread for each row of hidden and for each row of weight.
#include <metal_stdlib>
using namespace metal;

struct Shape {
  uint N, H, V;
  int ignore_index;
};

static float logit(device const float* hidden, device const float* weight, uint n, uint v, uint H) {
  float sum = 0;
  for (uint h = 0; h < H; ++h) sum = fma(hidden[n * H + h], weight[v * H + h], sum);
  return sum;
}

kernel void losses(device const float* hidden [[buffer(0)]], device const float* weight [[buffer(1)]],
                   device const int* targets [[buffer(2)]], device float* loss [[buffer(3)]],
                   device float* lse [[buffer(4)]], constant Shape& s [[buffer(5)]],
                   uint n [[thread_position_in_grid]]) {
  loss[n] = 0;
  lse[n] = 0;
  if (targets[n] == s.ignore_index) return;
  float largest = -INFINITY, sum = 0;
  for (uint v = 0; v < s.V; ++v) {
    const float x = logit(hidden, weight, n, v, s.H);
    if (x > largest) sum *= exp(largest - x);
    largest = max(largest, x);
    sum += exp(x - largest);
  }
  lse[n] = largest + log(sum);
  loss[n] = lse[n] - logit(hidden, weight, n, uint(targets[n]), s.H);
}

// dL/dlogit of entry v for token n.
static float slope(device const float* hidden, device const float* weight, device const int* targets,
                   device const float* upstream, device const float* lse, constant Shape& s, uint n, uint v) {
  if (targets[n] == s.ignore_index) return 0;
  const float p = exp(logit(hidden, weight, n, v, s.H) - lse[n]);
  return upstream[n] * (p - float(v == uint(targets[n])));
}

kernel void of_hidden(device const float* hidden [[buffer(0)]], device const float* weight [[buffer(1)]],
                      device const int* targets [[buffer(2)]], device const float* upstream [[buffer(3)]],
                      device const float* lse [[buffer(4)]], device float* dhidden [[buffer(5)]],
                      constant Shape& s [[buffer(6)]], uint n [[thread_position_in_grid]]) {
  for (uint h = 0; h < s.H; ++h) dhidden[n * s.H + h] = 0;
  for (uint v = 0; v < s.V; ++v) {
    const float dz = slope(hidden, weight, targets, upstream, lse, s, n, v);
    for (uint h = 0; h < s.H; ++h) dhidden[n * s.H + h] += dz * weight[v * s.H + h];
  }
}

kernel void of_weight(device const float* hidden [[buffer(0)]], device const float* weight [[buffer(1)]],
                      device const int* targets [[buffer(2)]], device const float* upstream [[buffer(3)]],
                      device const float* lse [[buffer(4)]], device float* dweight [[buffer(5)]],
                      constant Shape& s [[buffer(6)]], uint v [[thread_position_in_grid]]) {
  for (uint h = 0; h < s.H; ++h) dweight[v * s.H + h] = 0;
  for (uint n = 0; n < s.N; ++n) {
    if (targets[n] == s.ignore_index) continue;  // whose hidden may be anything
    const float dz = slope(hidden, weight, targets, upstream, lse, s, n, v);
    for (uint h = 0; h < s.H; ++h) dweight[v * s.H + h] += dz * hidden[n * s.H + h];
  }
}
