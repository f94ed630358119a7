// Random small batches under every combination of options, held against the reference with the bound of
// metal/cpu/ctc/error_bound.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "metal/cpu/ctc/error_bound.h"
#include "reference/ctc/batch.h"
#include "reference/number/big_float.h"
#include "tests/limits.h"
#include "tests/metal/ctc/batch.h"

namespace assay::metal {
namespace {

using reference::BigFloat;
using tests::infinity;

/// Draws batches of up to 3 rows, 5 frames, 4 classes; lengths vary, labels repeat, some classes are impossible.
class Generator {
 public:
  explicit Generator(unsigned seed) : bits_(seed) {}

  Batch batch() {
    const std::int64_t T = whole(0, 5), C = whole(1, 4), blank = whole(0, C - 1);
    std::vector<std::vector<std::int64_t>> labels(static_cast<std::size_t>(whole(1, 3)));
    for (auto& row : labels)
      if (C > 1) row = label_sequence(whole(0, 3), C, blank);
    Batch batch(T, C, labels);
    batch.options.blank = blank;
    for (auto& length : batch.input_lengths) length = whole(0, 3) == 0 ? whole(0, T) : T;
    draw_activations(batch, blank);
    return batch;
  }

  std::int64_t whole(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(bits_() % static_cast<std::uint64_t>(most - least + 1));
  }
  float real(float scale) { return std::uniform_real_distribution<float>(-scale, scale)(bits_); }

 private:
  std::vector<std::int64_t> label_sequence(std::int64_t S, std::int64_t C, std::int64_t blank) {
    std::vector<std::int64_t> row(static_cast<std::size_t>(S));
    for (auto& label : row) {
      label = whole(0, C - 2);
      label += label >= blank ? 1 : 0;
    }
    return row;
  }

  void draw_activations(Batch& batch, std::int64_t blank) {
    const float scale = std::exp2(static_cast<float>(whole(-3, 9)));
    for (float& activation : batch.activations) activation = real(scale);
    if (whole(0, 2) != 0) return;
    for (std::int64_t t = 0; t < batch.options.T; ++t)
      for (std::int64_t b = 0; b < batch.options.B; ++b)
        for (std::int64_t c = 0; c < batch.options.C; ++c)
          if (c != blank && whole(0, 3) == 0) batch.at(t, b, c) = -infinity;
  }

  std::mt19937_64 bits_;
};

/// Off by `bound` at most; the same where it is infinite or NaN.
void expect_within(float got, const BigFloat& exact, double bound, const std::string& what) {
  const auto due = static_cast<double>(exact);
  const bool is_right = std::isnan(due)   ? std::isnan(got)
                        : std::isinf(due) ? got == static_cast<float>(due)
                                          : static_cast<double>(abs(BigFloat(got) - exact)) <= bound;
  EXPECT_TRUE(is_right) << what << ": got " << got << ", expected " << due << " to within " << bound;
}

void expect_gradient(const Batch& batch, std::size_t b, const reference::CtcRow<BigFloat>& row, double weight,
                     const CtcErrorBound& errors, const std::vector<BigFloat>& exact,
                     const std::vector<float>& gradient) {
  for (std::int64_t t = 0; t < batch.options.T; ++t)
    for (std::int64_t c = 0; c < batch.options.C; ++c) {
      const std::size_t i = batch.index(t, static_cast<std::int64_t>(b), c);
      double bound = 0.0;
      if (row.possible && t < batch.input_lengths[b]) {
        const double y = batch.options.variable == CtcVariable::logits ? static_cast<double>(row.y(t, c)) : 0.0;
        bound = errors.gradient(weight, y, static_cast<double>(row.posterior(t, c)));
      }
      const std::string index = std::to_string(t) + ", " + std::to_string(b) + ", " + std::to_string(c);
      expect_within(gradient[i], exact[i], bound, "gradient[" + index + "]");
    }
}

/// Holds loss and gradient against the reference, which its own tests hold against the enumeration of all alignments.
void expect_exact(const Batch& batch, const Outcome& outcome) {
  const CtcProblem<float> problem = batch.problem();
  const auto rows = reference::ctc_rows<BigFloat>(problem);
  const auto exact = reference::combine<BigFloat>(problem, std::span<const reference::CtcRow<BigFloat>>(rows));
  double bound = 0.0;
  for (std::size_t b = 0; b < rows.size(); ++b) {
    const auto S = static_cast<double>(std::max<std::int64_t>(problem.target_lengths[b], 1));
    const double share = problem.reduction == Reduction::mean ? 1.0 / (static_cast<double>(problem.B) * S) : 1.0;
    const double upstream = batch.upstream.empty() ? 1.0 : batch.upstream[problem.reduction == Reduction::none ? b : 0];
    const CtcErrorBound errors(problem.input_lengths[b], problem.C, problem.target_lengths[b], problem.input);
    expect_gradient(batch, b, rows[b], share * upstream, errors, exact.gradient, outcome.gradient);
    const double of_loss = errors.loss(rows[b].possible ? static_cast<double>(rows[b].loss) : 0.0);
    bound += share * of_loss * (1.0 + 1e-6);
    if (problem.reduction == Reduction::none) expect_within(outcome.loss[b], exact.loss[b], of_loss, "loss");
  }
  if (problem.reduction != Reduction::none) expect_within(outcome.loss[0], exact.loss[0], bound, "reduced");
}

/// Every combination of input, variable, layout, reduction and zero_infinity.
struct Options {
  CtcInput input;
  CtcVariable variable;
  CtcTargets layout;
  Reduction reduction;
  bool zero_infinity;
};

std::vector<Options> all_options() {
  std::vector<Options> all;
  for (const CtcInput input : {CtcInput::logits, CtcInput::log_probs})
    for (const CtcVariable variable : {CtcVariable::logits, CtcVariable::log_probs})
      for (const CtcTargets layout : {CtcTargets::padded, CtcTargets::concatenated})
        for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean})
          for (const bool zero_infinity : {false, true})
            all.push_back({input, variable, layout, reduction, zero_infinity});
  return all;
}

Batch with_options(const Batch& original, const Options& options, Generator& generator) {
  Batch batch = options.layout == CtcTargets::concatenated ? original.concatenated() : original;
  batch.options.input = options.input;
  batch.options.variable = options.variable;
  batch.options.reduction = options.reduction;
  batch.options.zero_infinity = options.zero_infinity;
  if (options.input == CtcInput::log_probs)
    for (float& activation : batch.activations) activation = std::min(activation, 1.0F);
  if (generator.whole(0, 1) == 0) batch.upstream.resize(batch.loss_size());
  for (float& upstream : batch.upstream) upstream = generator.real(3.0F);
  return batch;
}

class CtcLossExact : public testing::TestWithParam<Options> {};

TEST_P(CtcLossExact, EveryElementIsWithinTheDerivedBound) {
  Generator generator(7);
  for (int i = 0; i < 40; ++i) {
    const Batch batch = with_options(generator.batch(), GetParam(), generator);
    SCOPED_TRACE(i);
    const Outcome outcome = run(batch);
    expect_exact(batch, outcome);
    EXPECT_EQ(run_loss(batch), outcome.loss);
    if (HasFailure()) return;
  }
}

std::string name(const testing::TestParamInfo<Options>& info) {
  const Options& options = info.param;
  std::string name = options.input == CtcInput::logits ? "FromLogits" : "FromLogProbs";
  name += options.variable == CtcVariable::logits ? "ToLogits" : "ToLogProbs";
  name += options.layout == CtcTargets::padded ? "Padded" : "Concatenated";
  name += options.reduction == Reduction::none ? "None" : options.reduction == Reduction::sum ? "Sum" : "Mean";
  return name + (options.zero_infinity ? "ZeroInfinity" : "");
}

INSTANTIATE_TEST_SUITE_P(Options, CtcLossExact, testing::ValuesIn(all_options()), name);

}  // namespace
}  // namespace assay::metal
