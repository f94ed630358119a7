// One call of ctc_loss. Each thread computes whole rows or, where the plan says so, threads share the emissions of a
// row. Both give the same bits, since the emissions of a frame do not depend on other frames.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>

#include "metal/cpu/ctc/kernels.h"
#include "metal/cpu/ctc/output.h"
#include "metal/cpu/ctc/plan.h"
#include "metal/cpu/ctc/row.h"
#include "metal/cpu/ctc/tuning.h"
#include "metal/cpu/parallel.h"

namespace assay::metal::cpu {

/// The order in which rows are computed. With few rows per thread, the longest rows come first, so that no thread
/// begins a long row last. Otherwise the order is that of memory, where neighbouring rows share cache lines.
template <class Real>
void order_rows(const reference::CtcProblem<Real>& problem, std::size_t workers, std::span<std::size_t> order) {
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (workers == 1 || order.size() >= 4 * workers) return;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return row_cost(problem, a) > row_cost(problem, b); });
}

/// The data that the stages of a call share.
template <class Real>
class Call {
 public:
  Call(const reference::CtcProblem<Real>& problem, const CtcOutput<Real>& output, const Plan& plan, std::byte* memory,
       const CtcTuning& tuning)
      : problem_(problem),
        // Rows test data() for whether a gradient is wanted, but the data() of an empty span need not be null.
        gradient_(output.gradient.empty() ? std::span<Real>() : output.gradient),
        plan_(plan),
        memory_(memory),
        tuning_(tuning),
        kernels_(table_for<Kernels<Real>>(tuning.set)) {
    Arena arena(memory);
    shared_ = take_shared(arena, static_cast<std::size_t>(problem.B));
    reference::target_rows(problem, shared_.labels);
    order_rows(problem, plan.workers, shared_.order);
  }

  /// The losses of all rows, [B]. Where an activation is not acceptable: nullopt, and nothing is written.
  std::optional<std::span<const double>> run() const {
    if (!(plan_.frames == 0 ? run_by_rows() : run_by_frames())) return std::nullopt;
    return shared_.losses;
  }

 private:
  bool run_by_rows() const {
    const std::size_t B = shared_.losses.size(), each = plan_.rows_each;
    const Stage stages[] = {
        acceptance(),
        {pieces(B, each),
         [&](std::size_t worker, std::size_t i) {
           for (std::size_t n = i * each; n < std::min(B, (i + 1) * each); ++n) run_row(worker, shared_.order[n]);
           return true;
         }},
    };
    return in_stages(plan_.workers, stages);
  }

  void run_row(std::size_t worker, std::size_t b) const {
    const RowWorkspace workspace = workspace_of(worker);
    const States states = begin_row(row(b), workspace);
    if (!states.slots.empty()) kernels_.emissions(row(b), workspace, states, row(b).frames());
    finish(b, workspace, states);
  }

  bool run_by_frames() const {
    const std::size_t B = shared_.losses.size(), each = pieces(T(), plan_.frames);
    const Stage stages[] = {
        acceptance(),
        {B,
         [this](std::size_t, std::size_t b) {
           shared_.states[b] = begin_row(row(b), workspace_of(b));
           return true;
         }},
        {B * each,
         [&](std::size_t worker, std::size_t i) {
           const std::size_t b = i / each;
           if (!shared_.states[b].slots.empty())
             kernels_.emissions(row(b), workspace_of(b, worker), shared_.states[b], frames(b, i % each));
           return true;
         }},
        {B,
         [this](std::size_t, std::size_t i) {
           const std::size_t b = shared_.order[i];
           finish(b, workspace_of(b), shared_.states[b]);
           return true;
         }},
    };
    return in_stages(plan_.workers, stages);
  }

  /// Reads every activation, in the order of memory, before anything is written.
  Stage acceptance() const {
    return {pieces(T(), plan_.checked_frames), [this](std::size_t, std::size_t i) {
              return kernels_.acceptable(problem_, piece(i, T(), plan_.checked_frames));
            }};
  }

  std::size_t T() const { return static_cast<std::size_t>(problem_.T); }

  Row<Real> row(std::size_t b) const {
    const double weight = reduction_weight(problem_, b) * upstream(problem_, b);
    return {problem_, b, shared_.labels[b], weight, gradient_};
  }

  /// The n-th piece of row b; empty past the end of the row.
  Frames frames(std::size_t b, std::size_t n) const { return piece(n, row(b).T(), plan_.frames); }

  /// The memory of the n-th row that is computed at the same time.
  RowWorkspace workspace_of(std::size_t n) const {
    Arena own(memory_ + plan_.shared_bytes + n * plan_.row_bytes);
    return take_row(own, plan_.row_sizes);
  }

  /// As above, but the exponentials are the thread's own.
  RowWorkspace workspace_of(std::size_t n, std::size_t worker) const {
    RowWorkspace workspace = workspace_of(n);
    Arena own(memory_ + plan_.shared_bytes + plan_.rows * plan_.row_bytes + worker * plan_.exps_bytes);
    workspace.exps = take_exps(own, plan_.row_sizes);
    return workspace;
  }

  void finish(std::size_t b, const RowWorkspace& workspace, const States& states) const {
    const RowLoss result = finish_row(row(b), workspace, states, kernels_, tuning_.path);
    shared_.losses[b] = result.loss;
    if (tuning_.extended_rows != nullptr && result.extended) ++*tuning_.extended_rows;
  }

  const reference::CtcProblem<Real>& problem_;
  std::span<Real> gradient_;
  const Plan& plan_;
  std::byte* memory_;
  const CtcTuning& tuning_;
  const Kernels<Real>& kernels_;
  SharedWorkspace shared_;
};

}  // namespace assay::metal::cpu
