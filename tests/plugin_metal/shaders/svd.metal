// The singular value decomposition of single columns: a = (a / |a|) |a| 1.
#include <metal_stdlib>
using namespace metal;

kernel void columns(device const float* A [[buffer(0)]], device float* U [[buffer(1)]], device float* S [[buffer(2)]],
                    device float* Vh [[buffer(3)]], constant uint& M [[buffer(4)]],
                    uint b [[thread_position_in_grid]]) {
  device const float* a = A + b * M;
  float largest = 0, squares = 0;
  for (uint i = 0; i < M; ++i) largest = max(largest, abs(a[i]));
  int e = 0;
  frexp(largest, e);
  for (uint i = 0; i < M; ++i) squares += ldexp(a[i], -e) * ldexp(a[i], -e);
  const float norm = sqrt(squares);
  S[b] = ldexp(norm, e);
  Vh[b] = 1;
  for (uint i = 0; i < M; ++i) U[b * M + i] = largest == 0 ? float(i == 0) : ldexp(a[i], -e) / norm;
}
