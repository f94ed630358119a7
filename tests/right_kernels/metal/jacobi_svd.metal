// One-sided Jacobi of tall matrices of full rank or less, a thread for each matrix; nothing is shared.
#include <metal_stdlib>
using namespace metal;

struct Shape {
  uint M, N;
};

static float product(device const float* x, device const float* y, uint length) {
  float sum = 0;
  for (uint i = 0; i < length; ++i) sum += x[i] * y[i];
  return sum;
}

static void rotate(device float* x, device float* y, uint length, float c, float s) {
  for (uint i = 0; i < length; ++i) {
    const float first = x[i], second = y[i];
    x[i] = c * first - s * second;
    y[i] = s * first + c * second;
  }
}

// Column `k` of U becomes a unit vector without what it has of the columns before: some unit vector has enough left.
static void complete(device float* W, uint k, uint M) {
  for (uint candidate = 0; candidate < M; ++candidate) {
    device float* const w = W + k * M;
    for (uint i = 0; i < M; ++i) w[i] = float(i == candidate);
    for (uint pass = 0; pass < 2; ++pass)
      for (uint l = 0; l < k; ++l) {
        const float part = product(w, W + l * M, M);
        for (uint i = 0; i < M; ++i) w[i] -= part * W[l * M + i];
      }
    const float length = sqrt(product(w, w, M));
    if (length * sqrt(float(M)) < 0.5f) continue;
    for (uint i = 0; i < M; ++i) w[i] /= length;
    return;
  }
}

static void exchange(device float* x, device float* y, uint length) {
  for (uint i = 0; i < length; ++i) {
    const float kept = x[i];
    x[i] = y[i];
    y[i] = kept;
  }
}

kernel void jacobi(device const float* A [[buffer(0)]], device float* U [[buffer(1)]], device float* S [[buffer(2)]],
                   device float* Vh [[buffer(3)]], device float* scratch_W [[buffer(4)]],
                   device float* scratch_V [[buffer(5)]], constant Shape& shape [[buffer(6)]],
                   uint b [[thread_position_in_grid]]) {
  const uint M = shape.M, N = shape.N;
  device float* const W = scratch_W + b * M * N;  // columns one after the other
  device float* const V = scratch_V + b * N * N;
  float largest = 0;
  for (uint i = 0; i < M * N; ++i) largest = max(largest, abs(A[b * M * N + i]));
  int e = 0;
  frexp(largest, e);
  for (uint j = 0; j < N; ++j) {
    for (uint i = 0; i < M; ++i) W[j * M + i] = ldexp(A[b * M * N + i * N + j], -e);
    for (uint i = 0; i < N; ++i) V[j * N + i] = float(i == j);
  }
  bool turned = true;
  for (uint sweep = 0; sweep < 40 && turned; ++sweep) {
    turned = false;
    for (uint i = 0; i < N; ++i)
      for (uint j = i + 1; j < N; ++j) {
        const float a = product(W + i * M, W + i * M, M), d = product(W + j * M, W + j * M, M);
        const float p = product(W + i * M, W + j * M, M);
        if (!(abs(p) > 2e-7f * sqrt(a) * sqrt(d))) continue;
        turned = true;
        const float zeta = (d - a) / (2 * p);
        const float t = (zeta >= 0 ? 1.0f : -1.0f) / (abs(zeta) + sqrt(1 + zeta * zeta));
        const float c = 1 / sqrt(1 + t * t);
        rotate(W + i * M, W + j * M, M, c, c * t);
        rotate(V + i * N, V + j * N, N, c, c * t);
      }
  }
  float longest = 0;
  for (uint k = 0; k < N; ++k) {  // the longest column left comes next
    uint best = k;
    float square = -1;
    for (uint j = k; j < N; ++j) {
      const float one = product(W + j * M, W + j * M, M);
      if (one > square) best = j;
      square = max(square, one);
    }
    exchange(W + k * M, W + best * M, best == k ? 0 : M);
    exchange(V + k * N, V + best * N, best == k ? 0 : N);
    float length = sqrt(square);
    longest = max(longest, length);
    if (length <= 5e-7f * longest) length = 0;
    S[b * N + k] = ldexp(length, e);
    for (uint i = 0; i < M && length > 0; ++i) W[k * M + i] /= length;
    if (length == 0) complete(W, k, M);
  }
  for (uint k = 0; k < N; ++k) {
    for (uint i = 0; i < M; ++i) U[b * M * N + i * N + k] = W[k * M + i];
    for (uint i = 0; i < N; ++i) Vh[b * N * N + k * N + i] = V[k * N + i];
  }
}
