// Faults of Metal kernels (validation/core/shader_fault.h).
#include <utility>

#include "validation/core/shader_fault.h"
#include "validation/ctc/faults/faults.h"
#include "validation/ctc/kernels.h"

namespace assay::validation {
namespace {

/// The kernel that has the fault (metal::CtcOptions).
enum class Part { simdgroup, simdgroups, device, plain };

constexpr ShaderFault<Part> shader_faults[] = {
    {{"metal-missing-barrier", "simdgroups pass states without a barrier: mlx-lm#1700, llama.cpp#3057", "loss"},
     Part::simdgroups,
     "edges[place.simdgroup] = last;\n  threadgroup_barrier(mem_flags::mem_threadgroup);",
     "edges[place.simdgroup] = last;"},
    {{"metal-wrong-memory-flag", "a barrier over threadgroup memory between accesses of device memory: mlx-lm#1700",
      "loss"},
     Part::device,
     "threadgroup_barrier(mem_flags::mem_device);\n    before",
     "threadgroup_barrier(mem_flags::mem_threadgroup);\n    before"},
    {{"metal-divergent-barrier", "threads without a state do not come to the barrier", "loss"},
     Part::plain,
     "frame - (t > 0 ? L : 0));\n    threadgroup_barrier",
     "frame - (t > 0 ? L : 0));\n    if (thread_index < L) threadgroup_barrier"},
    {{"metal-state-out-of-bounds", "the last two states of a row that has one: eesen's ctc-loss.cc", "empty"},
     Part::device,
     "return L == 1 ? Scaled(cells[0]) : add(cells[L - 1], cells[L - 2]);",
     "return add(cells[L - 1], cells[L - 2]);"},
    {{"metal-blank-is-zero", "emissions of blank are read at class 0: pytorch#187716", "permutation"},
     Part::simdgroup,
     "float(values[classes[slot]])",
     "float(values[slot == 0 ? 0 : classes[slot]])"},
    {{"metal-uninitialised-edges", "what simdgroups pass is left as it was before the first frame", "loss"},
     Part::simdgroups,
     "pass_edge(zero(), odd, place);",
     ""},
    {{"metal-remaining-frames", "frames past the last multiple of four are left out", "loss"},
     Part::simdgroup,
     "if (step + n < frames) walk.advance",
     "if (step + n < 0) walk.advance"},
    {{"metal-beta-not-reversed", "beta is read from the first state to the last", "gradient"},
     Part::simdgroup,
     "beta[count - 1 - i].mantissa",
     "beta[i].mantissa"},
    {{"metal-lane-zero-sum", "a sum over lanes where only lane 0 is active", "loss"},
     Part::simdgroup,
     "const float loss = row_loss(shape, row, b, total_probability(states, walk.cells, below, L), normalizers, lane);\n"
     "  if (lane == 0) losses[b] = loss;",
     "const Scaled p = total_probability(states, walk.cells, below, L);\n"
     "  if (lane == 0) losses[b] = row_loss(shape, row, b, p, normalizers, lane);"},
    {{"metal-past-length-unwritten", "frames past the input length keep what the buffer held: tensorflow#41280",
      "zero-past-length"},
     Part::simdgroup,
     "if (with_gradient && !(is_frame && of_logits)) fill_frame",
     "if (with_gradient && is_frame && !of_logits) fill_frame"},
};

std::shared_ptr<const CtcKernel> kernel_of(std::string name, Part part, ShaderEdit edit) {
  const auto path = part == Part::plain ? metal::CtcPath::plain : metal::CtcPath::production;
  const std::uint64_t min_states = part == Part::simdgroups ? 65 : part == Part::device ? 8193 : 0;
  return metal_ctc_kernel(
      {.name = std::move(name), .host = {.path = path, .min_states = min_states}, .edit = std::move(edit)});
}

}  // namespace

std::vector<CtcFault> metal_faults() {
  return plant_in_shader<CtcOperation>(shader_faults, kernel_of);
}

}  // namespace assay::validation
