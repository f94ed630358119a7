// Cross-entropy of linear logits, plainly: every logit is kept.
#include <metal_stdlib>
using namespace metal;

kernel void logits(device const float* hidden [[buffer(0)]], device const float* weight [[buffer(1)]],
                   device float* z [[buffer(2)]], constant uint& H [[buffer(3)]],
                   uint2 at [[thread_position_in_grid]], uint2 size [[threads_per_grid]]) {
  float sum = 0;
  for (uint h = 0; h < H; ++h) sum += hidden[at.y * H + h] * weight[at.x * H + h];
  z[at.y * size.x + at.x] = sum;
}

kernel void losses(device const int* targets [[buffer(0)]], device float* z [[buffer(1)]],
                   device const float* upstream [[buffer(2)]], device float* loss [[buffer(3)]],
                   constant uint& V [[buffer(4)]], constant int& ignore_index [[buffer(5)]],
                   uint n [[thread_position_in_grid]]) {
  device float* row = z + n * V;
  const int target = targets[n];
  if (target == ignore_index) {
    for (uint v = 0; v < V; ++v) row[v] = 0;
    loss[n] = 0;
    return;
  }
  float largest = -INFINITY, sum = 0;
  for (uint v = 0; v < V; ++v) largest = max(largest, row[v]);
  for (uint v = 0; v < V; ++v) sum += exp(row[v] - largest);
  const float lse = largest + log(sum);
  loss[n] = lse - row[target];
  for (uint v = 0; v < V; ++v) row[v] = upstream[n] * (exp(row[v] - lse) - float(v == uint(target)));
}

// out [rows, columns] = sum over `terms` of dz times a factor.
struct Product {
  uint columns, terms, dz_row, dz_term;
};

kernel void product(device const float* dz [[buffer(0)]], device const float* factor [[buffer(1)]],
                    device float* out [[buffer(2)]], constant Product& p [[buffer(3)]],
                    device const int* targets [[buffer(4)]], constant int& ignore_index [[buffer(5)]],
                    constant bool& terms_are_tokens [[buffer(6)]], uint2 at [[thread_position_in_grid]]) {
  float sum = 0;
  for (uint i = 0; i < p.terms; ++i) {
    if (terms_are_tokens && targets[i] == ignore_index) continue;
    sum += dz[at.y * p.dz_row + i * p.dz_term] * factor[i * p.columns + at.x];
  }
  out[at.y * p.columns + at.x] = sum;
}
