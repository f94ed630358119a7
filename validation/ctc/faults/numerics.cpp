// Faults of number ranges and rounding: right in exact arithmetic, wrong in floating point.
#include <algorithm>
#include <cmath>
#include <vector>

#include "validation/ctc/faults/faults.h"
#include "validation/ctc/faults/plain_kernel.h"

namespace assay::validation {
namespace {

struct SoftmaxWithoutMaximum final : PlainCtcKernel {
  static constexpr FaultNote note{"softmax-without-maximum",
                                  "exp(a) as it is: overflows past 709 and vanishes below -745", "shift"};
  double softmax_shift(const Row&, std::int64_t) const override { return 0; }
};

struct SoftmaxMaximumOfBatch final : PlainCtcKernel {
  static constexpr FaultNote note{"softmax-maximum-of-batch",
                                  "logits are shifted by the batch's maximum at t: a loud row silences the others",
                                  "row-independence"};
  double softmax_shift(const Row& row, std::int64_t t) const override {
    double shift = PlainCtcKernel::softmax_shift(row, t);
    for (Row other{.problem = row.problem}; other.b < row.problem.B; ++other.b)
      if (t < row.problem.input_lengths[static_cast<std::size_t>(other.b)])
        shift = std::max(shift, PlainCtcKernel::softmax_shift(other, t));
    return shift;
  }
};

struct SoftmaxMaximumWithPadding final : PlainCtcKernel {
  static constexpr FaultNote note{"softmax-maximum-with-padding",
                                  "logits are shifted by the maximum over all T frames, those past T_b among them",
                                  "padding"};
  double softmax_shift(const Row& row, std::int64_t) const override {
    double shift = log_zero;
    for (std::int64_t t = 0; t < row.problem.T; ++t) shift = std::max(shift, PlainCtcKernel::softmax_shift(row, t));
    return shift;
  }
};

struct LogitsClipped final : PlainCtcKernel {
  static constexpr FaultNote note{"logits-clipped", "activations are cut to [-30, 30] so that exp(a) cannot overflow",
                                  "shift"};
  void run(const Problem& problem, const metal::CtcOutput<float>& out, int threads) const override {
    check(problem, out);
    std::vector<float> clipped(problem.activations.begin(), problem.activations.end());
    for (float& a : clipped) a = std::fmin(std::fmax(a, -30.0F), 30.0F);
    Problem other = problem;
    other.activations = clipped;
    PlainCtcKernel::run(other, out, threads);
  }
};

struct SoftmaxPlusEpsilon final : PlainCtcKernel {
  static constexpr FaultNote note{
      "softmax-plus-epsilon", "7e-8 is added to each exponential of a softmax in float32, lest one be 0", "gradient"};
  SoftmaxPlusEpsilon() {
    info_.arithmetic = Arithmetic::probability;
    info_.unit_roundoff = 0x1p-24;
  }
  void read_log_y(Row& row) const override {
    PlainCtcKernel::read_log_y(row);
    if (row.problem.input == reference::CtcInput::log_probs) return;
    for (std::int64_t t = 0; t < row.frames; ++t) {
      const double largest = *std::ranges::max_element(row.log_y.row(t));
      const double growth = std::log1p(7e-8 * static_cast<double>(row.problem.C) * std::exp(largest));
      for (double& log_y : row.log_y.row(t)) log_y -= growth;
    }
  }
};

struct LogOfYPlusEpsilon final : PlainCtcKernel {
  static constexpr FaultNote note{"log-of-y-plus-epsilon",
                                  "ln(y + 1e-7) for log-probabilities, as Keras takes its logarithm", "input-kinds"};
  void read_log_y(Row& row) const override {
    PlainCtcKernel::read_log_y(row);
    if (row.problem.input == reference::CtcInput::logits) return;
    for (std::int64_t t = 0; t < row.frames; ++t)
      for (double& log_y : row.log_y.row(t)) log_y = std::log(std::exp(log_y) + 1e-7);
  }
};

struct LogAddWithoutMaximum final : PlainCtcKernel {
  static constexpr FaultNote note{"log-add-without-maximum",
                                  "ln(exp(a) + exp(b)) as it is: below p = 1e-308 every path is lost and the loss +inf",
                                  "loss"};
  double log_add(double a, double b) const override { return std::log(std::exp(a) + std::exp(b)); }
};

struct LogAddCutForFloat final : PlainCtcKernel {
  static constexpr FaultNote note{"log-add-cut-for-float",
                                  "the smaller term is dropped below exp(-15.9), Kaldi's cut for float32, in double",
                                  "gradient"};
  double log_add(double a, double b) const override {
    return std::abs(a - b) > 15.9 ? std::max(a, b) : PlainCtcKernel::log_add(a, b);
  }
};

struct AlphaInFloat final : PlainCtcKernel {
  static constexpr FaultNote note{"alpha-in-float", "ln alpha and ln beta are kept in float32, double is declared",
                                  "gradient"};
  double log_add(double a, double b) const override { return static_cast<float>(PlainCtcKernel::log_add(a, b)); }
};

struct LogSoftmaxInFloat final : PlainCtcKernel {
  static constexpr FaultNote note{"log-softmax-in-float", "ln y is rounded to float32, double is declared", "gradient"};
  void read_log_y(Row& row) const override {
    PlainCtcKernel::read_log_y(row);
    for (std::int64_t t = 0; t < row.frames; ++t)
      for (double& log_y : row.log_y.row(t)) log_y = static_cast<float>(log_y);
  }
};

struct LossInHalf final : PlainCtcKernel {
  static constexpr FaultNote note{"loss-in-half", "the loss passes through 11 bits on its way out", "loss"};
  double loss(const Row& row) const override {
    int exponent = 0;
    const double mantissa = std::frexp(PlainCtcKernel::loss(row), &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(mantissa, 11)), exponent - 11);
  }
};

struct ProbabilityLeavesLogSpace final : PlainCtcKernel {
  static constexpr FaultNote note{"probability-leaves-log-space",
                                  "p is formed as a number on the way, and is 0 for a loss above 745", "loss"};
  double log_likelihood(const Row& row) const override {
    return std::log(std::exp(PlainCtcKernel::log_likelihood(row)));
  }
};

/// The running maximum begins at a number in place of -inf: logits that are all below it give a sum of 0.
struct MaximumFromANumber : PlainCtcKernel {
  explicit MaximumFromANumber(double number) : number_(number) {}
  double softmax_shift(const Row& row, std::int64_t t) const override {
    return std::max(number_, PlainCtcKernel::softmax_shift(row, t));
  }

 private:
  double number_;
};

struct MaximumFromMinus1e5 final : MaximumFromANumber {
  static constexpr FaultNote note{"maximum-from-minus-1e5", "the running maximum begins at -1e5", "shift"};
  MaximumFromMinus1e5() : MaximumFromANumber(-1e5) {}
};

struct MaximumFromMinus1e9 final : MaximumFromANumber {
  static constexpr FaultNote note{"maximum-from-minus-1e9", "the running maximum begins at -1e9, as masks do", "shift"};
  MaximumFromMinus1e9() : MaximumFromANumber(-1e9) {}
};

struct LossBelowZero final : PlainCtcKernel {
  static constexpr FaultNote note{
      "loss-below-zero", "ln is a polynomial that is -1e-7 at 1: a certain row has a loss below 0", "nonnegative"};
  double loss(const Row& row) const override {
    return PlainCtcKernel::loss(row) - 1e-7 * static_cast<double>(row.frames);
  }
};

struct LossNotClamped final : PlainCtcKernel {
  static constexpr FaultNote note{
      "loss-not-clamped", "p is above 1 by rounding, and the loss below 0: it declares that none is", "nonnegative"};
  double loss(const Row& row) const override { return impossible(row) ? impossible_loss(row) : -row.log_p; }
};

}  // namespace

std::vector<CtcFault> numeric_faults() {
  return plant_all<CtcOperation, SoftmaxWithoutMaximum, SoftmaxMaximumOfBatch, SoftmaxMaximumWithPadding, LogitsClipped,
                   SoftmaxPlusEpsilon, LogOfYPlusEpsilon, LogAddWithoutMaximum, LogAddCutForFloat, AlphaInFloat,
                   LogSoftmaxInFloat, LossInHalf, ProbabilityLeavesLogSpace, MaximumFromMinus1e5, MaximumFromMinus1e9,
                   LossBelowZero, LossNotClamped>(plain_ctc_kernel());
}

}  // namespace assay::validation
