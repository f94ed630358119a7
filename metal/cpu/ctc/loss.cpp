#include "metal/cpu/ctc/loss.h"

#include <algorithm>
#include <cstdint>

#include "metal/cpu/ctc/call.h"
#include "metal/cpu/ctc/output.h"
#include "metal/cpu/ctc/plan.h"
#include "metal/cpu/ctc/tuning.h"
#include "metal/cpu/memory.h"
#include "reference/ctc/validate.h"

namespace assay::metal {

namespace {

using cpu::Plan;
using reference::CtcProblem;
using reference::Reduction;
using reference::detail::refuse;

static_assert(cpu::Arena::alignment == ctc_loss_workspace_alignment);

void validate_workspace(std::span<std::byte> workspace, std::size_t bytes) {
  if (workspace.empty()) return;
  if (workspace.size() < bytes)
    refuse("workspace.size() = ", workspace.size(), ": expected at least ctc_loss_workspace_size() = ", bytes);
  const auto misalignment = reinterpret_cast<std::uintptr_t>(workspace.data()) % ctc_loss_workspace_alignment;
  if (misalignment != 0)
    refuse("workspace.data() is ", misalignment, " past a multiple of ", ctc_loss_workspace_alignment,
           ": expected an aligned address");
}

template <class Real>
void write_loss(const CtcProblem<Real>& problem, std::span<const double> losses, std::span<float> loss) {
  if (problem.reduction == Reduction::none)
    return void(std::ranges::transform(losses, loss.begin(), [](double x) { return static_cast<float>(x) + 0.0F; }));
  double total = 0.0;
  for (std::size_t b = 0; b < losses.size(); ++b) total += losses[b] * cpu::reduction_weight(problem, b);
  loss[0] = static_cast<float>(total) + 0.0F;
}

/// False, with nothing written, where an activation is not acceptable.
template <class Real>
bool compute(const CtcProblem<Real>& problem, const CtcOutput<Real>& output, const Plan& plan, std::byte* memory,
             const cpu::CtcTuning& tuning) {
  const auto losses = cpu::Call<Real>(problem, output, plan, memory, tuning).run();
  if (losses) write_loss(problem, *losses, output.loss);
  return losses.has_value();
}

}  // namespace

namespace cpu {

template <class Real>
void ctc_loss(const CtcProblem<Real>& problem, const CtcOutput<Real>& output, const CpuOptions& options,
              const CtcTuning& tuning) {
  reference::validate(problem);
  validate_output(problem, output);
  const Plan call = cpu::plan(problem, !output.gradient.empty(), options.threads);
  validate_workspace(options.workspace, call.bytes);
  const AlignedBytes own(options.workspace.empty() ? call.bytes : 0);
  std::byte* memory = options.workspace.empty() ? static_cast<std::byte*>(own.data()) : options.workspace.data();
  const bool accepted = compute(problem, output, call, memory, tuning);
  if (!accepted) reference::validate_activations(problem);  // throws, and names the activation
}

}  // namespace cpu

template <class Real>
std::size_t ctc_loss_workspace_size(const CtcProblem<Real>& problem, bool with_gradient, int threads) {
  reference::validate(problem);
  return cpu::plan(problem, with_gradient, threads).bytes;
}

template <class Real>
void ctc_loss(const CtcProblem<Real>& problem, const CtcOutput<Real>& output, const CpuOptions& options) {
  cpu::ctc_loss(problem, output, options, cpu::CtcTuning{});
}

#define ASSAY_INSTANTIATE_CTC(Real)                                                               \
  template std::size_t ctc_loss_workspace_size(const CtcProblem<Real>&, bool, int);               \
  template void ctc_loss(const CtcProblem<Real>&, const CtcOutput<Real>&, const CpuOptions&);     \
  template void cpu::ctc_loss(const CtcProblem<Real>&, const CtcOutput<Real>&, const CpuOptions&, \
                              const cpu::CtcTuning&);
ASSAY_INSTANTIATE_CTC(float)
ASSAY_INSTANTIATE_CTC(Half)
ASSAY_INSTANTIATE_CTC(BFloat16)
#undef ASSAY_INSTANTIATE_CTC

}  // namespace assay::metal
