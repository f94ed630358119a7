// The kernels of the plain path: plain.h has the equations.
#pragma once

#include "plain.h"

namespace assay {
namespace cce {

/// lse and loss. A threadgroup per token; `logits` is [count, chunk].
template <class D>
kernel void plain_forward(constant Shape& shape [[buffer(shape_index)]],
                          device const Token* tokens [[buffer(tokens_index)]],
                          device const D* hidden [[buffer(hidden_index)]],
                          device const D* weight [[buffer(weight_index)]], device const D* bias [[buffer(bias_index)]],
                          device float* all_logits [[buffer(scores_index)]], device LogSum* lse [[buffer(lse_index)]],
                          device float* losses [[buffer(losses_index)]], uint group [[threadgroup_position_in_grid]],
                          uint thread_index [[thread_index_in_threadgroup]],
                          uint thread_count [[threads_per_threadgroup]],
                          uint simdgroup [[simdgroup_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]]) {
  threadgroup Parts maxima, sums, totals;
  const PlainPlace place = {thread_index, thread_count, simdgroup, lane};
  const Tables<D> tables = {tokens, hidden, weight, bias, lse};
  const uint i = shape.first_token + group;
  const Token token = tokens[i];
  device float* const logits = all_logits + ulong(group) * shape.chunk;
  PlainState state = {-INFINITY, 0.0f, -INFINITY, 0.0f};
  for (uint begin = 0; begin < shape.V;) {
    const uint end = begin + min(shape.chunk, shape.V - begin);
    for (uint v = begin + thread_index; v < end; v += thread_count)
      logits[v - begin] = plain_logit(row_of(hidden, token.row, shape), tables, v, shape).x;
    threadgroup_barrier(mem_flags::mem_device);
    state = with_chunk(state, logits, begin, end, token.target, maxima, sums, totals, place);
    begin = end;
    threadgroup_barrier(mem_flags::mem_device);
  }
  if (thread_index > 0) return;
  const float log_sum = precise::log(state.sum);
  const Pair sum = two_sum(state.largest, log_sum);
  lse[i] = {sum.high, sum.low};
  losses[i] = plain_loss(state, log_sum, shape);
}

/// dhidden. A threadgroup per token; `logits` [count, chunk] holds dL/dz here; `sums` is [count, H].
template <class D>
kernel void plain_dhidden(
    constant Shape& shape [[buffer(shape_index)]], device const Token* tokens [[buffer(tokens_index)]],
    device const D* hidden [[buffer(hidden_index)]], device const D* weight [[buffer(weight_index)]],
    device const D* bias [[buffer(bias_index)]], device const LogSum* lse [[buffer(lse_index)]],
    device float* all_d_logits [[buffer(scores_index)]], device float* all_sums [[buffer(sums_index)]],
    device D* gradient [[buffer(dhidden_index)]], uint group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]], uint thread_count [[threads_per_threadgroup]]) {
  const Tables<D> tables = {tokens, hidden, weight, bias, lse};
  const uint i = shape.first_token + group;
  device float* const d_logits = all_d_logits + ulong(group) * shape.chunk;
  device float* const sums = all_sums + ulong(group) * shape.H;
  for (ulong h = thread_index; h < shape.H; h += thread_count) sums[h] = 0.0f;
  for (uint begin = 0; begin < shape.V;) {
    const uint end = begin + min(shape.chunk, shape.V - begin);
    for (uint v = begin + thread_index; v < end; v += thread_count)
      d_logits[v - begin] = plain_d_logit(tables, i, v, shape);
    threadgroup_barrier(mem_flags::mem_device);
    for (ulong h = thread_index; h < shape.H; h += thread_count)
      for (uint v = begin; v < end; ++v)
        sums[h] = fma(d_logits[v - begin], float(row_of(weight, v, shape)[h]), sums[h]);
    threadgroup_barrier(mem_flags::mem_device);
    begin = end;
  }
  for (ulong h = thread_index; h < shape.H; h += thread_count) row_of(gradient, tokens[i].row, shape)[h] = D(sums[h]);
}

enum { token_chunk = 64 };

/// dweight and dbias. A threadgroup per entry; `sums` is [count, H].
template <class D>
kernel void plain_dweight(constant Shape& shape [[buffer(shape_index)]],
                          device const Token* tokens [[buffer(tokens_index)]],
                          device const D* hidden [[buffer(hidden_index)]],
                          device const D* weight [[buffer(weight_index)]], device const D* bias [[buffer(bias_index)]],
                          device const LogSum* lse [[buffer(lse_index)]], device float* all_sums [[buffer(sums_index)]],
                          device D* gradient [[buffer(dweight_index)]], device D* bias_gradient [[buffer(dbias_index)]],
                          uint group [[threadgroup_position_in_grid]],
                          uint thread_index [[thread_index_in_threadgroup]],
                          uint thread_count [[threads_per_threadgroup]]) {
  threadgroup float d_logits[token_chunk];
  const Tables<D> tables = {tokens, hidden, weight, bias, lse};
  const uint v = shape.first_entry + group;
  device float* const sums = all_sums + ulong(group) * shape.H;
  float of_bias = 0.0f;
  for (ulong h = thread_index; with_dweight && h < shape.H; h += thread_count) sums[h] = 0.0f;
  for (uint begin = 0; begin < shape.M; begin += token_chunk) {
    const uint count = min(uint(token_chunk), shape.M - begin);
    for (uint i = thread_index; i < count; i += thread_count) d_logits[i] = plain_d_logit(tables, begin + i, v, shape);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < count; ++i) of_bias += d_logits[i];
    for (ulong h = thread_index; with_dweight && h < shape.H; h += thread_count)
      for (uint i = 0; i < count; ++i)
        sums[h] = fma(d_logits[i], float(row_of(hidden, tokens[begin + i].row, shape)[h]), sums[h]);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  for (ulong h = thread_index; with_dweight && h < shape.H; h += thread_count)
    row_of(gradient, v, shape)[h] = D(sums[h]);
  if (with_dbias && thread_index == 0) bias_gradient[v] = D(of_bias);
}

}  // namespace cce
}  // namespace assay
