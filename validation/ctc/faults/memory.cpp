// Faults of buffers, state and order: out-of-bounds writes, state kept between calls, work divided wrongly.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "validation/ctc/faults/faults.h"
#include "validation/ctc/faults/plain_kernel.h"

namespace assay::validation {
namespace {

// Buffers.

struct WritesPastGradient final : PlainCtcKernel {
  static constexpr FaultNote note{"writes-past-gradient", "one element after the gradient is cleared with it: t <= T",
                                  "outside"};
  void run(const Problem& problem, const metal::CtcOutput<float>& out, int threads) const override {
    PlainCtcKernel::run(problem, out, threads);
    if (!out.gradient.empty()) *(out.gradient.data() + out.gradient.size()) = 0;
  }
};

struct WritesBeforeGradient final : PlainCtcKernel {
  static constexpr FaultNote note{"writes-before-gradient",
                                  "an index of -1 is used, not refused: torch-xpu-ops#5018, a finite loss all the same",
                                  "outside"};
  void run(const Problem& problem, const metal::CtcOutput<float>& out, int threads) const override {
    PlainCtcKernel::run(problem, out, threads);
    if (!out.gradient.empty()) *(out.gradient.data() - 1) = 0;
  }
};

struct SoftmaxInPlace final : PlainCtcKernel {
  static constexpr FaultNote note{"softmax-in-place", "the log-softmax is written over the caller's logits", "outside"};
  void read_log_y(Row& row) const override {
    PlainCtcKernel::read_log_y(row);
    for (std::int64_t t = 0; t < row.frames; ++t) {
      float* const frame = const_cast<float*>(frame_of(row.problem, t, row.b).data());
      std::transform(row.log_y.row(t).begin(), row.log_y.row(t).end(), frame,
                     [](double a) { return static_cast<float>(a); });
    }
  }
};

struct PastLengthUnwritten final : PlainCtcKernel {
  static constexpr FaultNote note{"past-length-unwritten", "frames past the input length keep what the buffer held",
                                  "inside"};
  void gradient_past_length(const Row&, std::int64_t, std::span<float>) const override {}
};

struct ImpossibleUnwritten final : PlainCtcKernel {
  static constexpr FaultNote note{"impossible-unwritten", "an infeasible row returns before its gradient is written",
                                  "inside"};
  void impossible_gradient(const Row&, std::int64_t, std::span<float>) const override {}
};

struct LossAccumulates final : PlainCtcKernel {
  static constexpr FaultNote note{"loss-accumulates", "loss += : right where the caller's buffer happened to be 0",
                                  "inside"};
  void store_loss(const Problem& problem, std::span<const double> losses, std::span<float> out) const override {
    const std::vector<float> held(out.begin(), out.end());
    PlainCtcKernel::store_loss(problem, losses, out);
    std::transform(out.begin(), out.end(), held.begin(), out.begin(), std::plus<>());
  }
};

struct LossOnlyUnwritten final : PlainCtcKernel {
  static constexpr FaultNote note{"loss-only-unwritten", "without a gradient to fill, the loss is not computed either",
                                  "loss-only"};
  void run(const Problem& problem, const metal::CtcOutput<float>& out, int threads) const override {
    out.gradient.empty() ? check(problem, out) : PlainCtcKernel::run(problem, out, threads);
  }
};

struct LossOnlyEndsEarly final : PlainCtcKernel {
  static constexpr FaultNote note{"loss-only-ends-early",
                                  "the path without a gradient keeps alpha one frame short: its own loop, its own bug",
                                  "loss-only"};
  double run_row(const Problem& problem, std::int64_t b, std::span<float> gradient) const override {
    if (!gradient.empty()) return PlainCtcKernel::run_row(problem, b, gradient);
    std::vector<std::int64_t> lengths(problem.input_lengths.begin(), problem.input_lengths.end());
    for (std::int64_t& length : lengths) length = std::max<std::int64_t>(length - 1, 0);
    Problem shorter = problem;
    shorter.input_lengths = lengths;
    return PlainCtcKernel::run_row(shorter, b, gradient);
  }
};

// State between calls.

struct WorkspaceNotCleared final : PlainCtcKernel {
  static constexpr FaultNote note{"workspace-not-cleared",
                                  "alpha_0 starts from what the last call left in row b of a workspace kept for speed",
                                  "two-shapes"};
  double alpha_first(const Row& row, std::int64_t s) const override {
    const std::scoped_lock lock(mutex_);
    const auto found = workspace_.find({row.b, s});
    return s < 2 || found == workspace_.end() ? PlainCtcKernel::alpha_first(row, s) : found->second;
  }
  double log_likelihood(const Row& row) const override {
    const std::scoped_lock lock(mutex_);
    for (std::int64_t s = 0; s < row.L() && row.frames > 0; ++s) workspace_[{row.b, s}] = row.alpha(row.frames - 1, s);
    return PlainCtcKernel::log_likelihood(row);
  }

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::int64_t, std::int64_t>, double> workspace_;
};

struct WidthOfWidestCall final : PlainCtcKernel {
  static constexpr FaultNote note{"width-of-widest-call",
                                  "p is read at the width of the longest target so far: buffers only ever grow",
                                  "two-shapes"};
  double log_likelihood(const Row& row) const override {
    const auto S = *std::max_element(row.problem.target_lengths.begin(), row.problem.target_lengths.end());
    std::int64_t widest = widest_;
    while (S > widest && !widest_.compare_exchange_weak(widest, S)) {
    }
    return S < widest ? log_zero : PlainCtcKernel::log_likelihood(row);
  }

 private:
  mutable std::atomic<std::int64_t> widest_ = 0;
};

// Order.

struct OrderOfArrival final : PlainCtcKernel {
  static constexpr FaultNote note{"order-of-arrival",
                                  "sums are taken in the order in which atomic adds arrive: last bits change per call",
                                  "repeat"};
  float to_float(double value) const override {
    const double dice = static_cast<double>(arrivals_++ % 7);
    return PlainCtcKernel::to_float(value * (1 + dice * 0x1p-30));
  }

 private:
  mutable std::atomic<std::uint64_t> arrivals_ = 0;
};

struct RowsLeftOver final : PlainCtcKernel {
  static constexpr FaultNote note{"rows-left-over",
                                  "B / threads rows to each thread: what the division leaves, no one does", "threads"};
  void for_each_row(std::int64_t B, int threads, const std::function<void(std::int64_t)>& body) const override {
    const std::int64_t workers = std::max(threads, 1);
    PlainCtcKernel::for_each_row(B / workers * workers, threads, body);
  }
};

struct SumPerThread final : PlainCtcKernel {
  static constexpr FaultNote note{
      "sum-per-thread", "each thread adds its rows' losses in float32: the sum depends on how many threads", "threads"};
  void run(const Problem& problem, const metal::CtcOutput<float>& out, int threads) const override {
    PlainCtcKernel::run(problem, out, threads);
    if (problem.reduction == reference::Reduction::none) return;
    Problem rows = problem;
    rows.reduction = reference::Reduction::none;
    rows.upstream = {};
    std::vector<float> losses(problem.input_lengths.size()), sums(static_cast<std::size_t>(std::max(threads, 1)));
    PlainCtcKernel::run(rows, {losses, {}}, threads);
    for (std::size_t b = 0; b < losses.size(); ++b)
      sums[b % sums.size()] += losses[b] * static_cast<float>(reduction_factor(problem, static_cast<std::int64_t>(b)));
    out.loss[0] = std::accumulate(sums.begin(), sums.end(), 0.0F);
  }
};

struct OrderByBatch final : PlainCtcKernel {
  static constexpr FaultNote note{
      "order-by-batch", "from 8 rows on, sums are taken in another order: a row's last bits depend on B", "batch"};
  double loss(const Row& row) const override {
    return PlainCtcKernel::loss(row) * (row.problem.B < 8 ? 1 : 1 + 0x1p-26);
  }
};

struct OneBadRowSpoilsAll final : PlainCtcKernel {
  static constexpr FaultNote note{"one-bad-row-spoils-all",
                                  "0 * NaN in a product over the batch: an infeasible row makes every gradient NaN, "
                                  "compare pytorch#21680",
                                  "row-independence"};
  void run(const Problem& problem, const metal::CtcOutput<float>& out, int threads) const override {
    PlainCtcKernel::run(problem, out, threads);
    const auto bad = std::find_if(out.gradient.begin(), out.gradient.end(), [](float g) { return std::isnan(g); });
    if (bad != out.gradient.end()) std::fill(out.gradient.begin(), out.gradient.end(), *bad);
  }
};

}  // namespace

std::vector<CtcFault> memory_faults() {
  return plant_all<CtcOperation, WritesPastGradient, WritesBeforeGradient, SoftmaxInPlace, PastLengthUnwritten,
                   ImpossibleUnwritten, LossAccumulates, LossOnlyUnwritten, LossOnlyEndsEarly, WorkspaceNotCleared,
                   WidthOfWidestCall, OrderOfArrival, RowsLeftOver, SumPerThread, OrderByBatch, OneBadRowSpoilsAll>(
      plain_ctc_kernel());
}

}  // namespace assay::validation
