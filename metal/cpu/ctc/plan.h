// How a call of ctc_loss divides its work and its workspace among threads. Threads take whole rows or, where there are
// fewer rows than threads, pieces of the frames of a row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "metal/cpu/ctc/row.h"
#include "metal/cpu/ctc/workspace.h"
#include "metal/cpu/parallel.h"
#include "reference/ctc/problem.h"
#include "reference/refuse.h"

namespace assay::metal::cpu {

/// The workspace has a part that all threads share, a part for each row that is computed at the same time and, where
/// threads share rows, a part for each thread.
struct Plan {
  std::size_t workers = 1;
  std::size_t rows = 1;            ///< computed at the same time
  std::size_t frames = 0;          ///< of a row, in the piece that a thread takes; 0: a thread takes whole rows
  std::size_t rows_each = 1;       ///< whole rows in the piece that a thread takes
  std::size_t checked_frames = 1;  ///< of all rows, in the piece whose activations a thread checks
  RowSizes row_sizes;
  std::size_t shared_bytes = 0;
  std::size_t row_bytes = 0;
  std::size_t exps_bytes = 0;
  std::size_t bytes = 0;
};

/// The number of pieces of `each` frames in T frames.
inline std::size_t pieces(std::size_t T, std::size_t each) {
  return (T + each - 1) / each;
}

/// The n-th of these pieces; empty past the end.
inline Frames piece(std::size_t n, std::size_t T, std::size_t each) {
  return {std::min(T, n * each), std::min(T, (n + 1) * each)};
}

/// So many activations are worth a turn of a thread.
inline constexpr std::size_t worth_a_thread = std::size_t{1} << 15U;

/// About the nanoseconds that a row takes.
template <class Real>
double row_cost(const reference::CtcProblem<Real>& problem, std::size_t b) {
  return 100.0 +
         static_cast<double>(problem.input_lengths[b]) * static_cast<double>(problem.C + 2 * problem.target_lengths[b]);
}

/// At most as many threads as have 65 microseconds of work each: waking one up takes nearly as long. They take rows in
/// pieces that are worth a turn, and so small that no thread waits long for the last one.
template <class Real>
void share_rows(const reference::CtcProblem<Real>& problem, int threads, Plan& plan) {
  constexpr double worth_waking = 1 << 16, worth_a_turn = 1 << 14;
  const auto B = static_cast<std::size_t>(problem.B);
  double cost = 1.0;
  for (std::size_t b = 0; b < B; ++b) cost += row_cost(problem, b);
  const double most = std::clamp(cost / worth_waking, 1.0, 0x1p20);
  plan.rows = plan.workers = std::min(worker_count(threads, B), static_cast<std::size_t>(most));
  plan.rows_each = static_cast<std::size_t>(std::max(1.0, worth_a_turn * static_cast<double>(B) / cost));
}

/// Whether threads share the emissions of a row: where there are fewer rows than threads, and frames enough.
template <class Real>
void divide_rows(const reference::CtcProblem<Real>& problem, int threads, Plan& plan) {
  constexpr std::size_t worth_sharing = 4 * worth_a_thread;
  const auto B = static_cast<std::size_t>(problem.B), T = static_cast<std::size_t>(problem.T),
             C = static_cast<std::size_t>(problem.C);
  share_rows(problem, threads, plan);
  if (plan.workers < B || T * C < worth_sharing) return;
  plan.frames = std::max<std::size_t>(1, worth_a_thread / C);
  plan.workers = worker_count(threads, B * pieces(T, plan.frames));
  if (plan.workers == plan.rows) plan.frames = 0;
}

/// The frames of a piece: each thread gets a share, in pieces so small that no thread waits long for the last one.
template <class Real>
std::size_t frames_to_check(const reference::CtcProblem<Real>& problem, std::size_t workers) {
  const auto each_frame = static_cast<std::size_t>(std::max<std::int64_t>(1, problem.B * problem.C));
  const std::size_t share = (static_cast<std::size_t>(problem.T) + workers - 1) / workers;
  return std::max<std::size_t>(1, std::min(share, worth_a_thread / each_frame));
}

template <class Real>
Plan plan(const reference::CtcProblem<Real>& problem, bool with_gradient, int threads) {
  using reference::detail::product;
  if (threads < 0) reference::detail::refuse("threads = ", threads, ": expected at least 0");
  Plan plan;
  divide_rows(problem, threads, plan);
  plan.checked_frames = frames_to_check(problem, plan.workers);
  plan.row_sizes = row_sizes(problem, with_gradient);
  Arena shared, row, exps;
  take_shared(shared, static_cast<std::size_t>(problem.B));
  take_row(row, plan.row_sizes);
  if (plan.frames > 0) take_exps(exps, plan.row_sizes);
  plan.shared_bytes = shared.used();
  plan.row_bytes = row.used();
  plan.exps_bytes = exps.used();
  const auto bytes = [](std::size_t count, std::size_t each) {
    return static_cast<std::size_t>(
        product("threads * workspace", static_cast<std::int64_t>(count), static_cast<std::int64_t>(each)));
  };
  plan.bytes = plan.shared_bytes + bytes(plan.rows, plan.row_bytes) + bytes(plan.workers, plan.exps_bytes);
  return plan;
}

}  // namespace assay::metal::cpu
