#include "metal/cpu/ctc_loss.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <numeric>

#include "metal/cpu/batch.h"
#include "metal/cpu/output.h"
#include "metal/cpu/parallel.h"
#include "metal/cpu/row.h"
#include "metal/cpu/workspace.h"
#include "reference/ctc/validate.h"

namespace assay::metal {

namespace {

using cpu::Arena;
using reference::CtcProblem;
using reference::Reduction;
using reference::detail::refuse;

static_assert(Arena::alignment == ctc_loss_workspace_alignment);

/// How the workspace of a call is divided: what the threads share, then a part for each of them.
struct Plan {
  std::size_t workers = 1;
  cpu::RowSizes row_sizes;
  std::size_t shared_bytes = 0;
  std::size_t row_bytes = 0;
  std::size_t bytes = 0;
};

template <class Real>
Plan plan(const CtcProblem<Real>& problem, bool with_gradient, int threads) {
  if (threads < 0) refuse("threads = ", threads, ": expected at least 0");
  const auto B = static_cast<std::size_t>(problem.B);
  Plan plan;
  plan.workers = cpu::worker_count(threads, B);
  plan.row_sizes = cpu::row_sizes(problem, with_gradient);
  Arena shared, row;
  cpu::take_shared(shared, B);
  cpu::take_row(row, plan.row_sizes);
  plan.shared_bytes = shared.used();
  plan.row_bytes = row.used();
  const auto rows_bytes = reference::detail::product("threads * workspace", static_cast<std::int64_t>(plan.workers),
                                                     static_cast<std::int64_t>(plan.row_bytes));
  plan.bytes = plan.shared_bytes + static_cast<std::size_t>(rows_bytes);
  return plan;
}

void validate_workspace(std::span<std::byte> workspace, std::size_t bytes) {
  if (workspace.empty()) return;
  if (workspace.size() < bytes)
    refuse("workspace.size() = ", workspace.size(), ": expected at least ctc_loss_workspace_size() = ", bytes);
  const auto misalignment = reinterpret_cast<std::uintptr_t>(workspace.data()) % ctc_loss_workspace_alignment;
  if (misalignment != 0)
    refuse("workspace.data() is ", misalignment, " past a multiple of ", ctc_loss_workspace_alignment,
           ": expected an aligned address");
}

/// Uninitialized memory with the workspace's alignment.
class AlignedMemory {
 public:
  explicit AlignedMemory(std::size_t bytes) : memory_(::operator new(bytes, alignment)) {}
  ~AlignedMemory() { ::operator delete(memory_, alignment); }
  AlignedMemory(const AlignedMemory&) = delete;
  AlignedMemory& operator=(const AlignedMemory&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(memory_); }

 private:
  static constexpr std::align_val_t alignment{ctc_loss_workspace_alignment};
  void* memory_;
};

template <class Real>
void write_loss(const CtcProblem<Real>& problem, std::span<const double> losses, std::span<float> loss) {
  if (problem.reduction == Reduction::none)
    return void(std::ranges::transform(losses, loss.begin(), [](double x) { return static_cast<float>(x) + 0.0F; }));
  double total = 0.0;
  for (std::size_t b = 0; b < losses.size(); ++b) total += losses[b] * cpu::reduction_weight(problem, b);
  loss[0] = static_cast<float>(total) + 0.0F;
}

/// All rows. Few rows a thread: those that take longest first, so that no thread is left alone with a long one at the
/// end. Else as they lie in memory, where neighbours share cache lines.
template <class Real>
void order_rows(const CtcProblem<Real>& problem, std::size_t workers, std::span<std::size_t> order) {
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (workers == 1 || order.size() >= 4 * workers) return;
  const auto cost = [&](std::size_t b) {
    return static_cast<double>(problem.input_lengths[b]) *
           static_cast<double>(problem.C + 2 * problem.target_lengths[b]);
  };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return cost(a) > cost(b); });
}

/// False, with nothing written, where an activation is not acceptable.
template <class Real>
bool compute(const CtcProblem<Real>& problem, const CtcOutput<Real>& output, const Plan& plan, std::byte* memory,
             const cpu::Choice& choice) {
  Arena arena(memory);
  const cpu::SharedWorkspace shared = cpu::take_shared(arena, static_cast<std::size_t>(problem.B));
  reference::target_rows(problem, shared.labels);
  order_rows(problem, plan.workers, shared.order);
  const cpu::Kernels<Real>& kernels = cpu::kernels<Real>(choice.set);
  // Within a row, data() says whether a gradient is wanted; an empty span of the caller's may point somewhere.
  const std::span<Real> gradient = output.gradient.empty() ? std::span<Real>() : output.gradient;
  const auto row = [&](std::size_t b) noexcept {
    const double weight = cpu::reduction_weight(problem, b) * cpu::upstream(problem, b);
    return cpu::Row<Real>{problem, b, shared.labels[b], weight, gradient};
  };
  const auto acceptable = [&](std::size_t b) noexcept { return kernels.acceptable(row(b)); };
  const auto work = [&](std::size_t worker, std::size_t i) noexcept {
    const std::size_t b = shared.order[i];
    Arena own(memory + plan.shared_bytes + worker * plan.row_bytes);
    const cpu::RowLoss result = cpu::compute_row(row(b), cpu::take_row(own, plan.row_sizes), kernels, choice.path);
    shared.losses[b] = result.loss;
    if (choice.extended_rows != nullptr && result.extended) ++*choice.extended_rows;
  };
  if (!cpu::for_each_row(shared.losses.size(), plan.workers, acceptable, work)) return false;
  write_loss(problem, shared.losses, output.loss);
  return true;
}

}  // namespace

namespace cpu {

template <class Real>
void ctc_loss(const CtcProblem<Real>& problem, const CtcOutput<Real>& output, const CpuOptions& options,
              const Choice& choice) {
  reference::validate(problem);
  validate_output(problem, output);
  const Plan call = plan(problem, !output.gradient.empty(), options.threads);
  validate_workspace(options.workspace, call.bytes);
  const bool accepted = options.workspace.empty()
                            ? compute(problem, output, call, AlignedMemory(call.bytes).data(), choice)
                            : compute(problem, output, call, options.workspace.data(), choice);
  if (!accepted) reference::validate_activations(problem);  // throws, saying which
}

}  // namespace cpu

template <class Real>
std::size_t ctc_loss_workspace_size(const CtcProblem<Real>& problem, bool with_gradient, int threads) {
  reference::validate(problem);
  return plan(problem, with_gradient, threads).bytes;
}

template <class Real>
void ctc_loss(const CtcProblem<Real>& problem, const CtcOutput<Real>& output, const CpuOptions& options) {
  cpu::ctc_loss(problem, output, options, cpu::Choice{});
}

template std::size_t ctc_loss_workspace_size(const CtcProblem<float>&, bool, int);
template std::size_t ctc_loss_workspace_size(const CtcProblem<Half>&, bool, int);
template std::size_t ctc_loss_workspace_size(const CtcProblem<BFloat16>&, bool, int);
template void ctc_loss(const CtcProblem<float>&, const CtcOutput<float>&, const CpuOptions&);
template void ctc_loss(const CtcProblem<Half>&, const CtcOutput<Half>&, const CpuOptions&);
template void ctc_loss(const CtcProblem<BFloat16>&, const CtcOutput<BFloat16>&, const CpuOptions&);

namespace cpu {

template void ctc_loss(const CtcProblem<float>&, const CtcOutput<float>&, const CpuOptions&, const Choice&);
template void ctc_loss(const CtcProblem<Half>&, const CtcOutput<Half>&, const CpuOptions&, const Choice&);
template void ctc_loss(const CtcProblem<BFloat16>&, const CtcOutput<BFloat16>&, const CpuOptions&, const Choice&);

}  // namespace cpu

}  // namespace assay::metal
