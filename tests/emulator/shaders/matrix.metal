// out = a b + c and transposes, on 8 x 8 matrices in device and threadgroup memory.
#include <metal_simdgroup_matrix>
#include <metal_stdlib>
using namespace metal;

kernel void multiply(device const float* a, device const half* b, device const float* c, device float* out,
                     device half* product, uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float staged[8 * 10];
  for (uint i = lane; i < 64; i += 32) staged[i / 8 * 10 + i % 8] = a[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_float8x8 A, C, D;
  simdgroup_half8x8 B;
  simdgroup_load(A, staged, 10);
  simdgroup_load(B, b);
  simdgroup_load(C, c, 8, ulong2(0, 0), true);
  simdgroup_multiply_accumulate(D, A, B, C);
  simdgroup_store(D, out);
  simdgroup_half8x8 P = B * B;
  P.thread_elements()[0] += 1.0h;
  simdgroup_store(P, product, 8, ulong2(0, 0), true);
}

kernel void fill(device float* diagonal, device float* filled) {
  simdgroup_float8x8 D(2.5);
  simdgroup_store(D, diagonal);
  simdgroup_store(make_filled_simdgroup_matrix<float, 8>(0.5), filled);
}
