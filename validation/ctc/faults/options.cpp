// Faults of options and edge cases: reductions, zero_infinity, rows without an alignment, labels or frames.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "validation/ctc/faults/faults.h"
#include "validation/ctc/faults/plain_kernel.h"

namespace assay::validation {
namespace {

using reference::Reduction;

double labels_of(const reference::CtcProblem<float>& problem, std::int64_t b) {
  return static_cast<double>(problem.target_lengths[static_cast<std::size_t>(b)]);
}

// Reductions.

struct MeanOverAllLabels final : PlainCtcKernel {
  static constexpr FaultNote note{"mean-over-all-labels",
                                  "mean divides by the labels of the batch where each row's own count is due",
                                  "reductions"};
  double reduction_factor(const Problem& problem, std::int64_t) const override {
    if (problem.reduction != Reduction::mean) return 1;
    const auto lengths = problem.target_lengths;
    return 1 / static_cast<double>(std::max<std::int64_t>(std::accumulate(lengths.begin(), lengths.end(), 0L), 1));
  }
};

struct MeanOfEmptyTarget final : PlainCtcKernel {
  static constexpr FaultNote note{"mean-of-empty-target",
                                  "mean divides by S_b, not max(S_b, 1): inf for an empty target", "reductions"};
  double reduction_factor(const Problem& problem, std::int64_t b) const override {
    if (problem.reduction != Reduction::mean) return 1;
    return 1 / (static_cast<double>(problem.B) * labels_of(problem, b));
  }
};

struct MeanOfLabelsOnly final : PlainCtcKernel {
  static constexpr FaultNote note{"mean-of-labels-only", "mean divides by max(S_b, 1) and forgets the batch's size B",
                                  "reductions"};
  double reduction_factor(const Problem& problem, std::int64_t b) const override {
    return problem.reduction == Reduction::mean ? 1 / std::max(labels_of(problem, b), 1.0) : 1;
  }
};

struct SumForMean final : PlainCtcKernel {
  static constexpr FaultNote note{"sum-for-mean", "mean is computed as sum", "reductions"};
  double reduction_factor(const Problem&, std::int64_t) const override { return 1; }
};

struct MeanOfLossAlone final : PlainCtcKernel {
  static constexpr FaultNote note{"mean-of-loss-alone", "the loss is averaged, the gradient is still that of the sum",
                                  "reductions"};
  double weight(const Problem& problem, std::int64_t b) const override {
    return PlainCtcKernel::weight(problem, b) / reduction_factor(problem, b);
  }
};

// Rows without an alignment.

struct ZeroInfinityIgnored final : PlainCtcKernel {
  static constexpr FaultNote note{"zero-infinity-ignored",
                                  "an infeasible row keeps +inf under the flag: pytorch#176910", "impossible"};
  double impossible_loss(const Row&) const override { return infinity; }
};

struct ImpossibleKeepsSoftmax final : PlainCtcKernel {
  static constexpr FaultNote note{"impossible-keeps-softmax",
                                  "an infeasible row has the finite gradient y and trains on it: returnn#1835",
                                  "impossible"};
  void impossible_gradient(const Row& row, std::int64_t t, std::span<float> frame) const override {
    for (std::size_t k = 0; k < frame.size(); ++k) frame[k] = to_float(std::exp(row.log_y.row(t)[k]));
  }
};

struct ImpossibleIsFree final : PlainCtcKernel {
  static constexpr FaultNote note{"impossible-is-free", "an infeasible row has loss 0 though zero_infinity is off",
                                  "impossible"};
  double impossible_loss(const Row&) const override { return 0; }
};

struct ImpossibleIsFinite final : PlainCtcKernel {
  static constexpr FaultNote note{"impossible-is-finite",
                                  "ln 0 is a large number, as Eesen's log_zero: no loss is +inf", "impossible"};
  double impossible_loss(const Row& row) const override { return row.problem.zero_infinity ? 0 : 1e30; }
};

struct FeasibleWithoutRepeats final : PlainCtcKernel {
  static constexpr FaultNote note{"feasible-without-repeats",
                                  "a row is called infeasible for T_b < S_b, repeats not counted: the gradient of what "
                                  "slips through is y",
                                  "impossible"};
  bool impossible(const Row& row) const override { return row.frames < static_cast<std::int64_t>(row.labels.size()); }
};

struct JustFeasibleRefused final : PlainCtcKernel {
  static constexpr FaultNote note{"just-feasible-refused",
                                  "T_b = S_b, with its one alignment, is called infeasible: <=", "loss"};
  bool impossible(const Row& row) const override {
    const auto S_b = static_cast<std::int64_t>(row.labels.size());
    return PlainCtcKernel::impossible(row) || (S_b > 0 && row.frames <= S_b);
  }
};

// Rows without labels or frames.

struct EmptyTargetCountedTwice final : PlainCtcKernel {
  static constexpr FaultNote note{"empty-target-counted-twice",
                                  "S = 0 has one final state and it is added as two, so p doubles: pytorch#21680, and "
                                  "Eesen's alpha(T-1, 2S-1)",
                                  "empty"};
  double log_likelihood(const Row& row) const override {
    const double log_p = PlainCtcKernel::log_likelihood(row);
    return row.labels.empty() && row.frames > 0 ? log_add(log_p, log_p) : log_p;
  }
};

struct EmptyTargetWithoutGradient final : PlainCtcKernel {
  static constexpr FaultNote note{"empty-target-without-gradient", "S = 0 returns early, its gradient 0: pytorch#18215",
                                  "empty"};
  void frame_gradient(const Row& row, std::int64_t t, std::span<float> frame) const override {
    if (row.labels.empty()) return gradient_past_length(row, t, frame);
    PlainCtcKernel::frame_gradient(row, t, frame);
  }
};

struct NothingOfNothing final : PlainCtcKernel {
  static constexpr FaultNote note{
      "nothing-of-nothing", "T_b = 0, S_b = 0 is not certain (loss 0) but impossible: compare pytorch#123193", "empty"};
  double log_likelihood(const Row& row) const override {
    return row.frames == 0 ? log_zero : PlainCtcKernel::log_likelihood(row);
  }
};

struct NoFramesNoLoss final : PlainCtcKernel {
  static constexpr FaultNote note{"no-frames-no-loss", "T_b = 0 has loss 0 whatever its labels, where +inf is due",
                                  "impossible"};
  double log_likelihood(const Row& row) const override {
    return row.frames == 0 ? 0 : PlainCtcKernel::log_likelihood(row);
  }
};

}  // namespace

std::vector<CtcFault> option_faults() {
  return plant_all<CtcOperation, MeanOverAllLabels, MeanOfEmptyTarget, MeanOfLabelsOnly, SumForMean, MeanOfLossAlone,
                   ZeroInfinityIgnored, ImpossibleKeepsSoftmax, ImpossibleIsFree, ImpossibleIsFinite,
                   FeasibleWithoutRepeats, JustFeasibleRefused, EmptyTargetCountedTwice, EmptyTargetWithoutGradient,
                   NothingOfNothing, NoFramesNoLoss>(plain_ctc_kernel());
}

}  // namespace assay::validation
