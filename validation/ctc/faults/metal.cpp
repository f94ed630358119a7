// Faults of Metal kernels (validation/core/shader_fault.h).
#include <utility>

#include "validation/core/shader_fault.h"
#include "validation/ctc/faults/faults.h"
#include "validation/ctc/metal_kernel.h"

namespace assay::validation {
namespace {

/// The kernel that has the fault (metal::CtcOptions).
enum class Part { simdgroup, columns, device, plain };

constexpr ShaderFault<Part> faults[] = {
    {{"metal-missing-barrier", "columns of two frames meet without a barrier: mlx-lm#1700, llama.cpp#3057", "loss"},
     Part::columns,
     "static void meet() { threadgroup_barrier(mem_flags::mem_threadgroup); }",
     "static void meet() {}"},
    {{"metal-wrong-memory-flag", "a barrier over threadgroup memory between accesses of device memory: mlx-lm#1700",
      "loss"},
     Part::device,
     "threadgroup_barrier(mem_flags::mem_device);\n    previous = column;",
     "threadgroup_barrier(mem_flags::mem_threadgroup);\n    previous = column;"},
    {{"metal-divergent-barrier", "threads without a state do not come to the barrier", "loss"},
     Part::plain,
     "frame - (t > 0 ? L : 0));\n    threadgroup_barrier",
     "frame - (t > 0 ? L : 0));\n    if (thread_index < L) threadgroup_barrier"},
    {{"metal-state-out-of-bounds", "the last two states of a row that has one: eesen's ctc-loss.cc", "empty"},
     Part::columns,
     "return L == 1 ? Scaled(alpha[0]) : add(alpha[L - 1], alpha[L - 2]);",
     "return add(alpha[L - 1], alpha[L - 2]);"},
    {{"metal-blank-is-zero", "emissions of blank are read at class 0: pytorch#187716", "permutation"},
     Part::simdgroup,
     "classes[row.classes_begin + k]]), shift)",
     "k == 0 ? 0 : classes[row.classes_begin + k]]), shift)"},
    {{"metal-uninitialised-parts", "parts that no state adds to are left as they were, and added", "gradient"},
     Part::columns,
     "if (place.lane == 0) parts.at[parity][part] = sums;",
     "if (place.lane == 0 && part * lane_count < labels.state_count()) parts.at[parity][part] = sums;"},
    {{"metal-lane-zero-sum", "a sum over lanes where only lane 0 is active", "loss"},
     Part::simdgroup,
     "const float loss = row_loss(shape, row, b, sum_of_last_two(lane, alpha), normalizers, lane_index);\n"
     "  if (lane_index == 0) losses[b] = loss;",
     "const Scaled p = sum_of_last_two(lane, alpha);\n"
     "  if (lane_index == 0) losses[b] = row_loss(shape, row, b, p, normalizers, lane_index);"},
    {{"metal-past-length-unwritten", "frames past the input length keep what the buffer held: tensorflow#41280",
      "zero-past-length"},
     Part::simdgroup,
     "if (with_gradient && !(is_frame && of_logits)) fill_frame",
     "if (with_gradient && is_frame && !of_logits) fill_frame"},
};

std::shared_ptr<const CtcKernel> kernel_of(std::string name, Part part, ShaderEdit edit) {
  const auto path = part == Part::plain ? metal::CtcPath::plain : metal::CtcPath::production;
  const std::uint64_t min_states = part == Part::columns ? 257 : part == Part::device ? 4096 : 0;
  return metal_ctc_kernel({.name = std::move(name), .path = path, .min_states = min_states, .edit = std::move(edit)});
}

}  // namespace

std::vector<CtcFault> metal_faults() {
  return plant_in_shader<CtcOperation>(faults, kernel_of);
}

}  // namespace assay::validation
