// In the style of published kernels: types by macros, function constants, helpers on threadgroup pointers, structs.
#include <metal_stdlib>
#include <metal_simdgroup>
using namespace metal;

#define MAX_THREADS 64
#define INSTANTIATE(name, type, n) \
  template [[host_name(name "_" #type)]] [[kernel]] decltype(reduce_rows<type, n>) reduce_rows<type, n>;

struct Shape {
  uint rows, columns;
  packed_float3 scale;
};
struct Best {
  float value;
  uint index;
  float get() const thread { return value; }
  float get() const threadgroup { return value; }
};
constant float bias_table[3] = {0.5, 1.0, 1.5};
constant bool with_bias [[function_constant(0)]];
constant int bias_index [[function_constant(1)]];
constant float bias = with_bias ? bias_table[is_function_constant_defined(bias_index) ? bias_index : 0] : 0;

namespace ops {
struct Larger {
  template <typename T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
}  // namespace ops

template <typename T, typename Op>
inline T tree(threadgroup T* row, uint i, uint n, Op op) {
  for (uint stride = n / 2; stride > 0; stride /= 2) {
    if (i < stride) row[i] = op(row[i], row[i + stride]);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  return row[0];
}

template <typename T, int N>
[[kernel, max_total_threads_per_threadgroup(N * 2)]] void reduce_rows(
    device const T* in [[buffer(0)]], device float* out [[buffer(1)]], constant Shape& shape [[buffer(2)]],
    uint i [[thread_index_in_threadgroup]], uint2 group [[threadgroup_position_in_grid]]) {
  threadgroup float row[N];
  threadgroup Best best[2];
  row[i] = float(in[group.x * shape.columns + i]) * shape.scale.y;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float largest = tree(row, i, uint(N), ops::Larger());
  if (i == 0) best[1] = {largest, group.x};
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  if (i == 0) out[group.x] = best[1].get() + bias;
}
INSTANTIATE("rows", float, 32)
INSTANTIATE("rows", half, 32)
