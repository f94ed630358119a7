// The rows of results that no token of the table has: those of ignored tokens are 0.
//
//   losses [M]  ->  loss [N];   dhidden [N, H]
#pragma once

#include "interface.h"
#include "lines.h"

namespace assay {
namespace cce {

/// A thread has a token.
[[host_name("cce_store_losses")]] kernel void store_losses(constant Shape& shape [[buffer(shape_index)]],
                                                           device const Token* tokens [[buffer(tokens_index)]],
                                                           device const uint* ignored [[buffer(ignored_index)]],
                                                           device const float* losses [[buffer(losses_index)]],
                                                           device float* loss [[buffer(loss_index)]],
                                                           uint n [[thread_position_in_grid]]) {
  if (n < shape.M) loss[tokens[n].row] = losses[n];
  if (n < shape.ignored) loss[ignored[n]] = 0.0f;
}

/// A threadgroup has an ignored token.
template <class D>
kernel void clear_dhidden(constant Shape& shape [[buffer(shape_index)]],
                          device const uint* ignored [[buffer(ignored_index)]],
                          device D* gradient [[buffer(dhidden_index)]], uint group [[threadgroup_position_in_grid]],
                          uint thread_index [[thread_index_in_threadgroup]],
                          uint thread_count [[threads_per_threadgroup]]) {
  device D* const row = row_of(gradient, ignored[group], shape);
  for (ulong h = thread_index; h < shape.H; h += thread_count) row[h] = D(0.0f);
}

}  // namespace cce
}  // namespace assay
