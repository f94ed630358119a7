// Faults of Metal kernels (validation/core/shader_fault.h).
#include <utility>

#include "validation/cce/faults/faults.h"
#include "validation/cce/kernels.h"
#include "validation/core/shader_fault.h"

namespace assay::validation::cce {
namespace {

constexpr auto production = metal::CcePath::production;
constexpr auto plain = metal::CcePath::plain;

constexpr ShaderFault<metal::CcePath> shader_faults[] = {
    {{"metal-missing-barrier", "a slab is multiplied before all simdgroups have stored theirs: mlx-lm#1700", "loss"},
     production,
     "right.store(of_right, slabs.right);\n    threadgroup_barrier(mem_flags::mem_threadgroup);",
     "right.store(of_right, slabs.right);"},
    {{"metal-wrong-memory-flag", "states of simdgroups are merged after a barrier over device memory", "loss"},
     production,
     "states[thread_index / lane_count] = state;\n  threadgroup_barrier(mem_flags::mem_threadgroup);",
     "states[thread_index / lane_count] = state;\n  threadgroup_barrier(mem_flags::mem_device);"},
    {{"metal-divergent-barrier", "threads without a token do not come to the barrier", "dweight"},
     plain,
     "plain_d_logit(tables, begin + i, v, shape);\n    threadgroup_barrier(mem_flags::mem_threadgroup);",
     "plain_d_logit(tables, begin + i, v, shape);\n"
     "    if (thread_index < count) threadgroup_barrier(mem_flags::mem_threadgroup);"},
    {{"metal-edge-of-hidden", "four elements are read where fewer are left of a row", "loss"},
     production,
     "if (is_aligned && at + 4 <= end) return",
     "if (at < end) return"},
    {{"metal-edge-of-vocabulary", "entries past V have a logit of 0 and a bias out of bounds", "loss"},
     production,
     "const bool is_entry = entry < shape.V;",
     "const bool is_entry = true;"},
    {{"metal-uninitialised-sums", "the first block is added to what the buffer held", "dweight"},
     production,
     "if (shape.first_token > 0 && place.row(r) < shape.entries)",
     "if (place.row(r) < shape.entries)"},
    {{"metal-target-twice", "the target is kept apart and summed with the others all the same", "loss"},
     production,
     "if (i != seen.target) sums[i % 4] +=",
     "sums[i % 4] +="},
    {{"metal-token-for-row", "rows of hidden are counted without those that are ignored", "ignored"},
     production,
     "return row_of(hidden, tokens[shape.first_token + i].row, shape);",
     "return row_of(hidden, shape.first_token + i, shape);"},
    {{"metal-chunk-not-rescaled", "the sum of the chunks before is not scaled to a new maximum", "chunks"},
     plain,
     "sum += state.sum * precise::exp(state.largest - largest);",
     "sum += state.sum;"},
};

std::shared_ptr<const CceKernel> kernel_of(std::string name, metal::CcePath path, ShaderEdit edit) {
  return metal_cce_kernel({.name = std::move(name), .host = {.path = path}, .edit = std::move(edit)});
}

}  // namespace

std::vector<CceFault> metal_faults() {
  return plant_in_shader<CceOperation>(shader_faults, kernel_of);
}

}  // namespace assay::validation::cce
