// A call of ctc_loss on its way: a thread for each row, or, where the plan says so, threads that share the emissions of
// rows. The bits are the same: no frame's emissions depend on another's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>

#include "metal/cpu/batch.h"
#include "metal/cpu/ctc_plan.h"
#include "metal/cpu/kernels.h"
#include "metal/cpu/output.h"
#include "metal/cpu/parallel.h"
#include "metal/cpu/row.h"

namespace assay::metal::cpu {

/// All rows. Few rows a thread: those that take longest first, so that no thread is left alone with a long one at the
/// end. Else as they lie in memory, where neighbours share cache lines.
template <class Real>
void order_rows(const reference::CtcProblem<Real>& problem, std::size_t workers, std::span<std::size_t> order) {
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (workers == 1 || order.size() >= 4 * workers) return;
  const auto cost = [&](std::size_t b) {
    return static_cast<double>(problem.input_lengths[b]) *
           static_cast<double>(problem.C + 2 * problem.target_lengths[b]);
  };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return cost(a) > cost(b); });
}

/// A call on its way: what its stages have in common.
template <class Real>
class Call {
 public:
  Call(const reference::CtcProblem<Real>& problem, const CtcOutput<Real>& output, const Plan& plan, std::byte* memory,
       const Choice& choice)
      : problem_(problem),
        // Within a row, data() says whether a gradient is wanted; an empty span of the caller's may point somewhere.
        gradient_(output.gradient.empty() ? std::span<Real>() : output.gradient),
        plan_(plan),
        memory_(memory),
        choice_(choice),
        kernels_(kernels<Real>(choice.set)) {
    Arena arena(memory);
    shared_ = take_shared(arena, static_cast<std::size_t>(problem.B));
    reference::target_rows(problem, shared_.labels);
    order_rows(problem, plan.workers, shared_.order);
  }

  /// The losses of all rows, [B]; none, with nothing written, where an activation is not acceptable.
  std::optional<std::span<const double>> run() const {
    if (!(plan_.frames == 0 ? run_by_rows() : run_by_frames())) return std::nullopt;
    return shared_.losses;
  }

 private:
  bool run_by_rows() const {
    const Stage stages[] = {
        acceptance(),
        {shared_.losses.size(),
         [this](std::size_t worker, std::size_t i) {
           const std::size_t b = shared_.order[i];
           const RowWorkspace workspace = workspace_of(worker);
           const States states = begin_row(row(b), workspace);
           if (!states.slots.empty()) kernels_.emissions(row(b), workspace, states, row(b).frames());
           finish(b, workspace, states);
           return true;
         }},
    };
    return in_stages(plan_.workers, stages);
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

  /// Every activation looked at, in the order of memory, before anything is written.
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

  /// The n-th piece of row b; none past its end.
  Frames frames(std::size_t b, std::size_t n) const { return piece(n, row(b).T(), plan_.frames); }

  /// The n-th of those that rows have.
  RowWorkspace workspace_of(std::size_t n) const {
    Arena own(memory_ + plan_.shared_bytes + n * plan_.row_bytes);
    return take_row(own, plan_.row_sizes);
  }

  /// The same, with the exponentials of a thread's own.
  RowWorkspace workspace_of(std::size_t n, std::size_t worker) const {
    RowWorkspace workspace = workspace_of(n);
    Arena own(memory_ + plan_.shared_bytes + plan_.rows * plan_.row_bytes + worker * plan_.exps_bytes);
    workspace.exps = take_exps(own, plan_.row_sizes);
    return workspace;
  }

  void finish(std::size_t b, const RowWorkspace& workspace, const States& states) const {
    const RowLoss result = finish_row(row(b), workspace, states, kernels_, choice_.path);
    shared_.losses[b] = result.loss;
    if (choice_.extended_rows != nullptr && result.extended) ++*choice_.extended_rows;
  }

  const reference::CtcProblem<Real>& problem_;
  std::span<Real> gradient_;
  const Plan& plan_;
  std::byte* memory_;
  const Choice& choice_;
  const Kernels<Real>& kernels_;
  SharedWorkspace shared_;
};

}  // namespace assay::metal::cpu
