// Faults of the gradient: the posterior, the variable of differentiation, and the upstream gradient.
#include <cmath>

#include "validation/ctc/faults/faults.h"
#include "validation/ctc/faults/plain_kernel.h"

namespace assay::validation {
namespace {

using reference::CtcInput;
using reference::CtcVariable;

struct PosteriorOverwritten final : PlainCtcKernel {
  static constexpr FaultNote note{"posterior-overwritten",
                                  "of the states of a class the last one counts: sum[k] = where sum[k] += is due",
                                  "frame-sums"};
  double gather(double, double term) const override { return term; }
};

struct StateLimit final : PlainCtcKernel {
  static constexpr FaultNote note{
      "state-limit", "states past the 64th are left out of the posterior: one block of threads, no loop", "frame-sums"};
  double occupancy(const Row& row, std::int64_t t, std::int64_t s) const override {
    return s < 64 ? PlainCtcKernel::occupancy(row, t, s) : log_zero;
  }
};

struct DividedTooSeldom final : PlainCtcKernel {
  static constexpr FaultNote note{
      "divided-too-seldom", "alpha and beta both hold y, and neither is divided out: the dispute of thu-spmi/CAT#81",
      "frame-sums"};
  double posterior(const Row& row, std::int64_t, std::int64_t, double gathered) const override {
    return std::exp(gathered - row.log_p);
  }
};

struct DividedTooOften final : PlainCtcKernel {
  static constexpr FaultNote note{"divided-too-often",
                                  "dL/dy is given out as dL/d ln y: once more divided by y, Graves' eq. 15 taken alone",
                                  "two-step"};
  double element(const Row& row, std::int64_t t, std::int64_t k, double posterior, double weight) const override {
    const double gradient = PlainCtcKernel::element(row, t, k, posterior, weight);
    return row.problem.variable == CtcVariable::log_probs ? gradient / std::exp(row.log_y(t, k)) : gradient;
  }
};

struct VariableIgnored final : PlainCtcKernel {
  static constexpr FaultNote note{"variable-ignored", "the gradient is always the one in the logits: pytorch#52241",
                                  "frame-sums"};
  double element(const Row& row, std::int64_t t, std::int64_t k, double posterior, double weight) const override {
    return weight * (std::exp(row.log_y(t, k)) - posterior);
  }
};

struct VariableFromInput final : PlainCtcKernel {
  static constexpr FaultNote note{"variable-from-input",
                                  "the gradient is taken in whatever the input is, not in the variable asked for",
                                  "input-kinds"};
  double element(const Row& row, std::int64_t t, std::int64_t k, double posterior, double weight) const override {
    const bool of_logits = row.problem.input == CtcInput::logits;
    return weight * ((of_logits ? std::exp(row.log_y(t, k)) : 0) - posterior);
  }
};

struct SoftmaxForgotten final : PlainCtcKernel {
  static constexpr FaultNote note{"softmax-forgotten",
                                  "-posterior in every variable: the step through the softmax is gone", "frame-sums"};
  double element(const Row&, std::int64_t, std::int64_t, double posterior, double weight) const override {
    return -weight * posterior;
  }
};

struct ZeroTimesInfinity final : PlainCtcKernel {
  static constexpr FaultNote note{"zero-times-infinity",
                                  "a class of probability 0 gets exp(-inf + inf) = NaN as gradient: pytorch#25057",
                                  "gradient"};
  double posterior(const Row& row, std::int64_t t, std::int64_t k, double gathered) const override {
    return std::exp(gathered - row.log_y(t, k) - row.log_p);
  }
};

struct UpstreamIgnored final : PlainCtcKernel {
  static constexpr FaultNote note{"upstream-ignored", "the gradient from above is taken as 1: sherjilozair/ctc#2",
                                  "linearity"};
  double weight(const Problem& problem, std::int64_t b) const override { return reduction_factor(problem, b); }
};

struct UpstreamOfFirstRow final : PlainCtcKernel {
  static constexpr FaultNote note{"upstream-of-first-row", "upstream[0] for every row: Liger-Kernel#968 in CTC's terms",
                                  "linearity"};
  double weight(const Problem& problem, std::int64_t b) const override {
    return problem.upstream.empty() ? PlainCtcKernel::weight(problem, b) : PlainCtcKernel::weight(problem, 0);
  }
};

struct UpstreamOnPosteriorOnly final : PlainCtcKernel {
  static constexpr FaultNote note{"upstream-on-posterior-only",
                                  "y - g posterior where g (y - posterior) is due: pytorch#11750", "linearity"};
  double element(const Row& row, std::int64_t t, std::int64_t k, double posterior, double weight) const override {
    if (row.problem.variable == CtcVariable::log_probs) return -weight * posterior;
    return std::exp(row.log_y(t, k)) - weight * posterior;
  }
};

struct UpstreamWithoutSign final : PlainCtcKernel {
  static constexpr FaultNote note{"upstream-without-sign", "|g| for g: a weight is taken to be positive", "linearity"};
  double weight(const Problem& problem, std::int64_t b) const override {
    return std::abs(PlainCtcKernel::weight(problem, b));
  }
};

struct GradientClipped final : PlainCtcKernel {
  static constexpr FaultNote note{"gradient-clipped", "elements are cut to [-1, 1], which they leave once weighted",
                                  "linearity"};
  double element(const Row& row, std::int64_t t, std::int64_t k, double posterior, double weight) const override {
    return std::fmin(std::fmax(PlainCtcKernel::element(row, t, k, posterior, weight), -1), 1);
  }
};

}  // namespace

std::vector<CtcFault> gradient_faults() {
  return plant_all<CtcOperation, PosteriorOverwritten, StateLimit, DividedTooSeldom, DividedTooOften, VariableIgnored,
                   VariableFromInput, SoftmaxForgotten, ZeroTimesInfinity, UpstreamIgnored, UpstreamOfFirstRow,
                   UpstreamOnPosteriorOnly, UpstreamWithoutSign, GradientClipped>(plain_ctc_kernel());
}

}  // namespace assay::validation
