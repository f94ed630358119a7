// Faults that published Metal kernels had, each in a small kernel of our own, and the kernel mended.
#pragma once

#include <string>
#include <vector>

#include "metal/emulator/check/report.h"

namespace assay::metal::emulator::test {

/// A line that ends in "// here" is one at which the fault must be reported.
struct PublishedFault {
  const char* issue;  ///< where it was reported
  const char* fault;
  Check check;
  const char* kernel;
  const char* from;  ///< replaced by `to`, everywhere in the kernel, it is mended
  const char* to;
};

/// Kernels of 128 threads in groups of 64, with buffers of 128 floats: the first holds 0, 1, ..., the second nothing.
inline const std::vector<PublishedFault>& published_faults() {
  static const std::vector<PublishedFault> faults = {
      {"ml-explore/mlx-lm#1719", "slots of maxima are reused for sums while other simdgroups still read them",
       Check::racecheck, R"(
kernel void fused_loss(device const float* in, device float* out, uint i [[thread_position_in_grid]],
                       uint lane [[thread_index_in_simdgroup]], uint group [[simdgroup_index_in_threadgroup]]) {
  threadgroup float shared[2];
  const float largest = simd_max(in[i]);
  if (lane == 0) shared[group] = largest;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float row_max = max(shared[0], shared[1]);  // here
  /*MEND*/
  const float sum = simd_sum(exp(in[i] - row_max));
  if (lane == 0) shared[group] = sum;  // here
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = log(shared[0] + shared[1]) + row_max;
})",
       "/*MEND*/", "threadgroup_barrier(mem_flags::mem_threadgroup);"},
      {"ml-explore/mlx-lm#1719", "barriers with mem_none between accesses of threadgroup memory", Check::racecheck, R"(
kernel void row_max(device const float* in, device float* out, uint i [[thread_position_in_grid]],
                    uint lane [[thread_index_in_simdgroup]], uint group [[simdgroup_index_in_threadgroup]]) {
  threadgroup float shared[2];
  const float largest = simd_max(in[i]);
  if (lane == 0) shared[group] = largest;  // here
  threadgroup_barrier(mem_flags::mem_none);
  out[i] = max(shared[0], shared[1]);  // here
})",
       "mem_none", "mem_threadgroup"},
      {"ggml-org/llama.cpp#3057", "no barrier between the mean's last read and the reuse of its slots",
       Check::racecheck,
       R"(
kernel void norm(device const float* in, device float* out, uint i [[thread_position_in_grid]],
                 uint tid [[thread_position_in_threadgroup]]) {
  threadgroup float sum[64];
  sum[tid] = in[i];
  for (uint width = 32; width > 0; width /= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (tid < width) sum[tid] += sum[tid + width];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float mean = sum[0] / 64;  // here
  /*MEND*/
  sum[tid] = (in[i] - mean) * (in[i] - mean);  // here
  for (uint width = 32; width > 0; width /= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (tid < width) sum[tid] += sum[tid + width];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = (in[i] - mean) * rsqrt(sum[0] / 64);
})",
       "/*MEND*/", "threadgroup_barrier(mem_flags::mem_threadgroup);"},
      {"alibaba/MNN#4875", "one thread overwrites the broadcast maximum with the sum before all have read it",
       Check::racecheck, R"(
kernel void decode_softmax(device const float* in, device float* out, uint i [[thread_position_in_grid]],
                           uint tid [[thread_position_in_threadgroup]]) {
  threadgroup float value[64];
  threadgroup float result[1];
  value[tid] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (tid == 0) {
    result[0] = value[0];
    for (uint k = 1; k < 64; ++k) result[0] = max(result[0], value[k]);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float largest = result[0];  // here
  value[tid] = exp(in[i] - largest);
  /*MEND*/
  if (tid == 0) {
    float sum = 0;
    for (uint k = 0; k < 64; ++k) sum += in[i + k];
    result[0] = sum;  // here
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = result[0];
})",
       "/*MEND*/", "threadgroup_barrier(mem_flags::mem_threadgroup);"},
      {"ml-explore/mlx#4202", "scales of the last group of a quantised row are read out of bounds", Check::memcheck, R"(
kernel void dequantise(device const float* scales, device float* out, uint i [[thread_position_in_grid]]) {
  const uint groups = 4, group = i % 5;
  out[i] = scales[(i / 4) * groups + group];  // here
})",
       "i % 5", "i % 4"},
      {"antirez/ds4#837", "a threadgroup reads what another writes, behind a barrier of its own threadgroup",
       Check::racecheck, R"(
kernel void decode(device const float* in, device float* cache, uint i [[thread_position_in_grid]],
                   uint tid [[thread_position_in_threadgroup]], uint head [[threadgroup_position_in_grid]]) {
  if (head == 0) cache[tid] = in[i];  // here
  threadgroup_barrier(mem_flags::mem_device);
  if (head == 1 && /*MEND*/ in[i] > cache[tid]) cache[i] = 1;  // here
})",
       "/*MEND*/ in[i] > cache[tid]", "in[i] > in[tid]"},
      {"JuliaGPU/Metal.jl#790", "a threadgroup array is smaller than the number of threads that are launched",
       Check::memcheck, R"(
kernel void partial_reduce(device const float* in, device float* out, uint i [[thread_position_in_grid]],
                           uint tid [[thread_position_in_threadgroup]]) {
  threadgroup float part[48];
  threadgroup float* const to = part;
  to[tid] = in[i];  // here
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = to[63 - tid];  // here
})",
       "part[48]", "part[64]"},
      {"waybarrios/vllm-mlx#721", "surplus threads return before a barrier that the others wait at", Check::synccheck,
       R"(
kernel void attention(device const float* in, device float* out, uint i [[thread_position_in_grid]],
                      uint tid [[thread_position_in_threadgroup]]) {
  threadgroup float row[64];
  row[tid] = in[i];
  if (tid >= 40 /*MEND*/) return;
  threadgroup_barrier(mem_flags::mem_threadgroup);  // here
  out[i] = row[39 - tid % 40];
})",
       "tid >= 40 /*MEND*/", "tid >= 64"},
      {"KhronosGroup/MoltenVK#973", "a barrier in a branch that one thread alone takes", Check::synccheck, R"(
kernel void deadlock(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  out[i] = in[i];
  if (i == 1 /*MEND*/) threadgroup_barrier(mem_flags::mem_device);  // here
  out[i] += 1;
})",
       "i == 1 /*MEND*/", "in[0] == 0"},
      {"HungryProton/scatter#246", "a loop over all points runs to its bound, inclusive", Check::memcheck, R"(
kernel void relax(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  float nearest = 1e9;
  for (uint other = 0; other <= 128; ++other)
    if (other != i) nearest = min(nearest, abs(in[i] - in[other]));  // here
  out[i] = nearest;
})",
       "other <= 128", "other < 128"},
      {"ml-explore/mlx#2591", "the slot that carries a scan's prefix is overwritten in the next round of the loop",
       Check::racecheck, R"(
kernel void scan(device const float* in, device float* out, uint tid [[thread_position_in_threadgroup]],
                 uint lane [[thread_index_in_simdgroup]], uint group [[simdgroup_index_in_threadgroup]],
                 uint row [[threadgroup_position_in_grid]]) {
  threadgroup float sums[2];
  float prefix = 0;
  for (uint round = 0; round < 2; ++round) {
    const float value = in[64 * round + tid];
    /*MEND*/
    const float sum = simd_sum(value);
    if (lane == 31) sums[group] = sum;  // here
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const float before = group == 1 ? sums[0] : 0;
    const float total = prefix + sums[0] + sums[1];
    if (row == 0) out[64 * round + tid] = prefix + before + simd_prefix_inclusive_sum(value);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (tid == 63) sums[0] = total;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    prefix = sums[0];  // here
  }
})",
       "/*MEND*/", "threadgroup_barrier(mem_flags::mem_threadgroup);"},
      {"ggml-org/llama.cpp#11314", "the last thread writes all of its rows, of which some lie behind the result",
       Check::memcheck, R"(
kernel void mul_mv(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  const uint rows_of_thread = 3, rows = 128;
  if (i * rows_of_thread >= rows) return;
  for (uint row = 0; row < rows_of_thread /*MEND*/; ++row)
    out[i * rows_of_thread + row] = 2 * in[i];  // here
})",
       "/*MEND*/", "&& i * rows_of_thread + row < rows"},
      {"ggml-org/llama.cpp#2699", "results are written to the memory of the factors, which other threads still read",
       Check::racecheck, R"(
kernel void mul_mm(device const float* in, device float* out, uint i [[thread_position_in_grid]],
                   uint tid [[thread_position_in_threadgroup]]) {
  threadgroup float shared[64];
  shared[tid] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float sum = 0;
  for (uint k = 0; k < 64; ++k) sum += shared[k];  // here
  /*MEND*/
  shared[tid] = sum;  // here
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = shared[63 - tid];
})",
       "/*MEND*/", "threadgroup_barrier(mem_flags::mem_threadgroup);"},
  };
  return faults;
}

}  // namespace assay::metal::emulator::test
