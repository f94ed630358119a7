// Every operation of simdgroups and quadgroups, on lane numbers: out[operation * 32 + lane].
#include <metal_stdlib>
using namespace metal;

kernel void simd_operations(device float* out, uint lane [[thread_index_in_simdgroup]]) {
  uint row = 0;
  const float x = float(lane) + 1;
  out[32 * row++ + lane] = simd_sum(x);
  out[32 * row++ + lane] = simd_max(x);
  out[32 * row++ + lane] = simd_min(x);
  out[32 * row++ + lane] = simd_prefix_inclusive_sum(x);
  out[32 * row++ + lane] = simd_prefix_exclusive_sum(x);
  out[32 * row++ + lane] = simd_broadcast(x, 5);
  out[32 * row++ + lane] = simd_broadcast_first(x);
  out[32 * row++ + lane] = simd_shuffle(x, 31 - lane);
  out[32 * row++ + lane] = simd_shuffle_up(x, 2);
  out[32 * row++ + lane] = simd_shuffle_down(x, 3);
  out[32 * row++ + lane] = simd_shuffle_xor(x, 7);
  out[32 * row++ + lane] = simd_shuffle_rotate_up(x, 1);
  out[32 * row++ + lane] = simd_shuffle_rotate_down(x, 1);
  out[32 * row++ + lane] = simd_shuffle_and_fill_up(x, -x, 2);
  out[32 * row++ + lane] = simd_shuffle_and_fill_down(x, -1.0, 4, 8);
  out[32 * row++ + lane] = float(simd_and(lane | 64u) + simd_or(lane) + simd_xor(lane));
  out[32 * row++ + lane] = float(popcount(ulong(simd_vote::vote_t(simd_ballot(lane % 3 == 0)))));
  out[32 * row++ + lane] = simd_all(lane < 32) && !simd_all(lane < 31) && simd_any(lane == 9) && !simd_any(lane > 31);
  out[32 * row++ + lane] = simd_is_first();
  out[32 * row++ + lane] = simd_product(lane < 3 ? 2.0f : 1.0f);
  out[32 * row++ + lane] = simd_shuffle_down(float3(x, 2 * x, 3 * x), 1).y;
  out[32 * row++ + lane] = quad_sum(x);
  out[32 * row++ + lane] = quad_broadcast(x, 2);
  out[32 * row++ + lane] = quad_shuffle_xor(x, 1);
  out[32 * row++ + lane] = quad_prefix_inclusive_sum(x);
}
