// CTC in log space as a stranger writes it: alpha in threadgroup memory, a frame of beta for each dispatch, then the
// gradient, one thread for each frame.
#include <metal_stdlib>
using namespace metal;

struct Shape {
  uint frames, rows, classes, states, blank;
  uint zero_infinity, of_logits;
};

inline float log_add(float a, float b) {
  float m = max(a, b);
  return m == -INFINITY ? m : m + log(exp(a - m) + exp(b - m));
}

inline int label(device const int* targets, uint s, uint blank) {
  return s % 2 == 1 ? targets[s / 2] : int(blank);
}

inline bool skips(device const int* targets, uint s) {
  return s % 2 == 1 && s >= 3 && targets[s / 2] != targets[s / 2 - 1];
}

kernel void ctc_alpha(device const float* log_probs [[buffer(0)]], device const int* all_targets [[buffer(1)]],
                      device const uint* offsets [[buffer(2)]], device const int* input_lengths [[buffer(3)]],
                      device const int* target_lengths [[buffer(4)]], device float* alpha [[buffer(5)]],
                      constant Shape& shape [[buffer(6)]], threadgroup float* columns [[threadgroup(0)]],
                      uint b [[threadgroup_position_in_grid]], uint i [[thread_position_in_threadgroup]],
                      uint n [[threads_per_threadgroup]]) {
  device const int* targets = all_targets + offsets[b];
  const uint states = 2 * uint(target_lengths[b]) + 1, frames = uint(input_lengths[b]);
  threadgroup float* before = columns;
  threadgroup float* now = columns + shape.states;
  for (uint t = 0; t < frames; ++t) {
    device const float* y = log_probs + (ulong(t) * shape.rows + b) * shape.classes;
    for (uint s = i; s < states; s += n) {
      float a = s < 2 ? 0 : -INFINITY;
      if (t > 0) {
        a = before[s];
        if (s > 0) a = log_add(a, before[s - 1]);
        if (skips(targets, s)) a = log_add(a, before[s - 2]);
      }
      now[s] = a + y[label(targets, s, shape.blank)];
      alpha[(ulong(b) * shape.frames + t) * shape.states + s] = now[s];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    threadgroup float* other = before;
    before = now;
    now = other;
  }
}

// beta of frame t: what follows after it.
kernel void ctc_beta(device const float* log_probs [[buffer(0)]], device const int* all_targets [[buffer(1)]],
                     device const uint* offsets [[buffer(2)]], device const int* input_lengths [[buffer(3)]],
                     device const int* target_lengths [[buffer(4)]], device float* beta [[buffer(5)]],
                     constant Shape& shape [[buffer(6)]], constant uint& t [[buffer(7)]],
                     uint2 at [[thread_position_in_grid]]) {
  const uint s = at.x, b = at.y, states = 2 * uint(target_lengths[b]) + 1, frames = uint(input_lengths[b]);
  if (t >= frames || s >= states) return;
  device const int* targets = all_targets + offsets[b];
  device float* row = beta + ulong(b) * shape.frames * shape.states;
  float total = -INFINITY;
  if (t + 1 == frames) {
    total = s + 2 >= states ? 0 : -INFINITY;
  } else {
    device const float* next = row + (t + 1) * shape.states;
    device const float* y = log_probs + (ulong(t + 1) * shape.rows + b) * shape.classes;
    total = next[s] + y[label(targets, s, shape.blank)];
    if (s + 1 < states) total = log_add(total, next[s + 1] + y[label(targets, s + 1, shape.blank)]);
    if (s + 2 < states && skips(targets, s + 2)) total = log_add(total, next[s + 2] + y[targets[(s + 2) / 2]]);
  }
  row[t * shape.states + s] = total;
}

kernel void ctc_loss(device const int* input_lengths [[buffer(0)]], device const int* target_lengths [[buffer(1)]],
                     device const float* alpha [[buffer(2)]], device float* log_p [[buffer(3)]],
                     device float* loss [[buffer(4)]], constant Shape& shape [[buffer(5)]],
                     uint b [[thread_position_in_grid]]) {
  const uint states = 2 * uint(target_lengths[b]) + 1, frames = uint(input_lengths[b]);
  float p = states == 1 ? 0 : -INFINITY;
  if (frames > 0) {
    device const float* last = alpha + (ulong(b) * shape.frames + frames - 1) * shape.states;
    p = last[states - 1];
    if (states > 1) p = log_add(p, last[states - 2]);
  }
  log_p[b] = p;
  loss[b] = p == -INFINITY && shape.zero_infinity ? 0 : -p;
}

kernel void ctc_gradient(device const float* log_probs [[buffer(0)]], device const int* all_targets [[buffer(1)]],
                         device const uint* offsets [[buffer(2)]], device const int* input_lengths [[buffer(3)]],
                         device const int* target_lengths [[buffer(4)]], device const float* alpha [[buffer(5)]],
                         device const float* beta [[buffer(6)]], device const float* log_p [[buffer(7)]],
                         device const float* upstream [[buffer(8)]], device float* gradient [[buffer(9)]],
                         constant Shape& shape [[buffer(10)]], uint2 at [[thread_position_in_grid]]) {
  const uint t = at.x, b = at.y, states = 2 * uint(target_lengths[b]) + 1;
  const ulong first = (ulong(t) * shape.rows + b) * shape.classes;
  device float* g = gradient + first;
  device const float* y = log_probs + first;
  const bool is_past = t >= uint(input_lengths[b]), is_impossible = log_p[b] == -INFINITY;
  for (uint k = 0; k < shape.classes; ++k) g[k] = is_past || is_impossible ? 0 : -INFINITY;
  if (is_past) return;
  if (is_impossible) {
    for (uint k = 0; k < shape.classes; ++k) g[k] = shape.zero_infinity ? 0 : NAN;
    return;
  }
  device const int* targets = all_targets + offsets[b];
  const ulong column = (ulong(b) * shape.frames + t) * shape.states;
  for (uint s = 0; s < states; ++s) {
    const uint k = label(targets, s, shape.blank);
    g[k] = log_add(g[k], alpha[column + s] + beta[column + s]);
  }
  for (uint k = 0; k < shape.classes; ++k) {
    const float posterior = exp(g[k] - log_p[b]);
    g[k] = upstream[b] * (shape.of_logits ? exp(y[k]) - posterior : -posterior);
  }
}
