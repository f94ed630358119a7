// Faults of the lattice: which states there are, where paths start, step, skip and end.
#include <algorithm>

#include "validation/ctc/faults/faults.h"
#include "validation/ctc/faults/plain_kernel.h"

namespace assay::validation {
namespace {

struct SkipOverRepeat final : PlainCtcKernel {
  static constexpr FaultNote note{"skip-over-repeat",
                                  "a label follows its equal without the blank between: the labels[i-2] == labels[i] "
                                  "case of Eesen's alpha kernel left out",
                                  "loss"};
  bool may_skip(const Row& row, std::int64_t s) const override {
    return s >= 2 && row.label_of(s) != row.problem.blank;
  }
};

struct SkipInverted final : PlainCtcKernel {
  static constexpr FaultNote note{"skip-inverted",
                                  "the blank may be left out between equal labels only: == for !=", "loss"};
  bool may_skip(const Row& row, std::int64_t s) const override {
    return s >= 2 && row.label_of(s) != row.problem.blank && row.label_of(s) == row.label_of(s - 2);
  }
};

struct SkipForbidden final : PlainCtcKernel {
  static constexpr FaultNote note{"skip-forbidden", "the blank between two labels is never left out", "loss"};
  bool may_skip(const Row&, std::int64_t) const override { return false; }
};

struct FirstSkipMissed final : PlainCtcKernel {
  static constexpr FaultNote note{"first-skip-missed", "off by one from 1-based states: s > 3 where s >= 3 is due",
                                  "loss"};
  bool may_skip(const Row& row, std::int64_t s) const override { return s > 3 && PlainCtcKernel::may_skip(row, s); }
};

struct BetaAsksItsOwnSkip final : PlainCtcKernel {
  static constexpr FaultNote note{"beta-asks-its-own-skip",
                                  "beta leaves s for s+2 if s, not s+2, may be skipped to: alpha's condition copied",
                                  "frame-sums"};
  double beta_step(const Row& row, std::int64_t t, std::int64_t s) const override {
    double sum = row.beta(t + 1, s);
    if (s + 1 < row.L()) sum = log_add(sum, row.beta(t + 1, s + 1));
    if (s + 2 < row.L() && may_skip(row, s)) sum = log_add(sum, row.beta(t + 1, s + 2));
    return sum + row.log_y_of(t, s);
  }
};

struct StartsInBlank final : PlainCtcKernel {
  static constexpr FaultNote note{"starts-in-blank", "alpha starts in the blank alone: the first label comes at t >= 1",
                                  "loss"};
  double alpha_first(const Row& row, std::int64_t s) const override { return s == 0 ? row.log_y_of(0, s) : log_zero; }
};

struct EndsInBlank final : PlainCtcKernel {
  static constexpr FaultNote note{"ends-in-blank", "p = alpha_T(L): paths that end in the last label are lost", "loss"};
  double log_likelihood(const Row& row) const override {
    return row.frames == 0 ? PlainCtcKernel::log_likelihood(row) : row.alpha(row.frames - 1, row.L() - 1);
  }
};

struct EndsInLabel final : PlainCtcKernel {
  static constexpr FaultNote note{"ends-in-label", "p = alpha_T(L-1): paths that end in a blank are lost", "loss"};
  double log_likelihood(const Row& row) const override {
    const bool empty = row.frames == 0 || row.labels.empty();
    return empty ? PlainCtcKernel::log_likelihood(row) : row.alpha(row.frames - 1, row.L() - 2);
  }
};

struct BetaEndsInBlank final : PlainCtcKernel {
  static constexpr FaultNote note{"beta-ends-in-blank",
                                  "beta starts with one state at the last frame where two are due", "frame-sums"};
  double beta_last(const Row& row, std::int64_t t, std::int64_t s) const override {
    return s == row.L() - 1 ? row.log_y_of(t, s) : log_zero;
  }
};

struct BlankIsZero final : PlainCtcKernel {
  static constexpr FaultNote note{"blank-is-zero", "the expansion inserts class 0, whatever the blank's index",
                                  "permutation"};
  Labels expand(const Problem&, const Labels& labels) const override {
    Labels states = {0};
    for (const std::int64_t label : labels) states.insert(states.end(), {label, 0});
    return states;
  }
};

struct BlankIsLast final : PlainCtcKernel {
  static constexpr FaultNote note{"blank-is-last", "the expansion inserts class C-1, TensorFlow's blank, always",
                                  "permutation"};
  Labels expand(const Problem& problem, const Labels& labels) const override {
    Labels states = {problem.C - 1};
    for (const std::int64_t label : labels) states.insert(states.end(), {label, problem.C - 1});
    return states;
  }
};

struct FirstFrameBlankIsZero final : PlainCtcKernel {
  static constexpr FaultNote note{"first-frame-blank-is-zero",
                                  "alpha_0(0) reads class 0 and forgets the blank's index: review of pytorch#187716",
                                  "permutation"};
  double alpha_first(const Row& row, std::int64_t s) const override {
    return s == 0 ? row.log_y(0, 0) : PlainCtcKernel::alpha_first(row, s);
  }
};

struct BestPath final : PlainCtcKernel {
  static constexpr FaultNote note{"best-path",
                                  "the most probable alignment where the sum over all is due: max for log_add", "loss"};
  double log_add(double a, double b) const override { return std::max(a, b); }
};

}  // namespace

std::vector<CtcFault> recursion_faults() {
  return plant_all<CtcOperation, SkipOverRepeat, SkipInverted, SkipForbidden, FirstSkipMissed, BetaAsksItsOwnSkip,
                   StartsInBlank, EndsInBlank, EndsInLabel, BetaEndsInBlank, BlankIsZero, BlankIsLast,
                   FirstFrameBlankIsZero, BestPath>(plain_ctc_kernel());
}

}  // namespace assay::validation
