// Faults of Metal kernels (validation/core/shader_fault.h).
#include <utility>

#include "validation/cce/faults/faults.h"
#include "validation/cce/metal_kernel.h"
#include "validation/core/shader_fault.h"

namespace assay::validation::cce {
namespace {

constexpr auto production = metal::CcePath::production;
constexpr auto plain = metal::CcePath::plain;

constexpr ShaderFault<metal::CcePath> faults[] = {
    {{"metal-missing-barrier", "logits of a tile are read before all simdgroups have stored theirs: mlx-lm#1700",
      "loss"},
     production,
     "multiply_rows(role, own, v, shape, tiles, place);\n    threadgroup_barrier(mem_flags::mem_threadgroup);",
     "multiply_rows(role, own, v, shape, tiles, place);"},
    {{"metal-wrong-memory-flag", "sums in device memory are rounded after a barrier over threadgroup memory",
      "dhidden"},
     production,
     "threadgroup_barrier(mem_flags::mem_device);\n  return of_bias;",
     "threadgroup_barrier(mem_flags::mem_threadgroup);\n  return of_bias;"},
    {{"metal-divergent-barrier", "threads without a token do not come to the barrier", "dweight"},
     plain,
     "plain_d_logit(tables, begin + i, v, shape);\n    threadgroup_barrier(mem_flags::mem_threadgroup);",
     "plain_d_logit(tables, begin + i, v, shape);\n"
     "    if (thread_index < count) threadgroup_barrier(mem_flags::mem_threadgroup);"},
    {{"metal-edge-of-hidden", "a slab is read to its end where H is not a multiple of it", "loss"},
     production,
     "r < end - begin && column < shape.H",
     "r < end - begin"},
    {{"metal-edge-of-vocabulary", "entries past V have a logit of 0 and a bias out of bounds", "loss"},
     production,
     "seen.x[i] = entry < end ? logit_of(scores[i * row_threads], bias, entry, shape).x : -INFINITY;",
     "seen.x[i] = logit_of(scores[i * row_threads], bias, entry, shape).x;"},
    {{"metal-uninitialised-sums", "the first tile is added to what the buffer held", "dhidden"},
     production,
     "if (!is_first) simdgroup_load(sum, place_of_sum, stride);",
     "simdgroup_load(sum, place_of_sum, stride);"},
    {{"metal-target-twice", "the target is kept apart and summed with the others all the same", "loss"},
     production,
     "if (i != seen.target) sums[i % 4] +=",
     "sums[i % 4] +="},
    {{"metal-token-for-row", "rows of hidden are counted without those that are ignored", "ignored"},
     production,
     "return row_of(hidden, tokens[i].row, shape); }",
     "return row_of(hidden, i, shape); }"},
    {{"metal-chunk-not-rescaled", "the sum of the chunks before is not scaled to a new maximum", "chunks"},
     plain,
     "sum += state.sum * precise::exp(state.largest - largest);",
     "sum += state.sum;"},
};

std::shared_ptr<const CceKernel> kernel_of(std::string name, metal::CcePath path, ShaderEdit edit) {
  return metal_cce_kernel({.name = std::move(name), .path = path, .edit = std::move(edit)});
}

}  // namespace

std::vector<CceFault> metal_faults() {
  return plant_in_shader<CceOperation>(faults, kernel_of);
}

}  // namespace assay::validation::cce
