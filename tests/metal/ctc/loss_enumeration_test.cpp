// Random small batches under every combination of options, held against the enumeration of all alignments with the
// bound of metal/cpu/ctc/error_bound.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "metal/cpu/ctc/error_bound.h"
#include "tests/limits.h"
#include "tests/metal/ctc/batch.h"
#include "tests/metal/ctc/enumeration.h"

namespace assay::metal {
namespace {

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

struct RowExpectation {
  double loss;
  double weight;
  CtcErrorBound bound;
};

void expect_gradient(const Batch& batch, std::size_t b, const Enumeration& exact, const RowExpectation& row,
                     const std::vector<float>& gradient) {
  const bool impossible = exact.p == 0;
  for (std::int64_t t = 0; t < batch.options.T; ++t)
    for (std::int64_t c = 0; c < batch.options.C; ++c) {
      const float got = gradient[batch.index(t, static_cast<std::int64_t>(b), c)];
      if (t >= batch.input_lengths[b] || (impossible && batch.options.zero_infinity)) {
        EXPECT_EQ(got, 0.0F);
      } else if (impossible) {
        EXPECT_TRUE(std::isnan(got));
      } else {
        const auto i = static_cast<std::size_t>(t * batch.options.C + c);
        const Exact y = batch.options.variable == CtcVariable::logits ? exact.y[i] : Exact(0);
        const Exact error = abs(got - row.weight * (y - exact.posterior[i]));
        const double bound =
            row.bound.gradient(row.weight, static_cast<double>(y), static_cast<double>(exact.posterior[i]));
        EXPECT_LE(static_cast<double>(error), bound) << "t=" << t << " b=" << b << " c=" << c << " got " << got;
      }
    }
}

/// Holds loss and gradient against the enumeration of every row.
void expect_exact(const Batch& batch, const Outcome& outcome) {
  const CtcProblem<float> problem = batch.problem();
  const auto labels = reference::target_rows(problem);
  double reduced = 0.0, bound = 0.0;
  for (std::size_t b = 0; b < labels.size(); ++b) {
    const Enumeration exact = enumerate(problem, b, labels[b]);
    const double loss = exact.p > 0 ? static_cast<double>(-log(exact.p)) : problem.zero_infinity ? 0.0 : infinity;
    const auto S = static_cast<double>(std::max<std::size_t>(labels[b].size(), 1));
    const double share = problem.reduction == Reduction::mean ? 1.0 / (static_cast<double>(problem.B) * S) : 1.0;
    const double upstream = batch.upstream.empty() ? 1.0 : batch.upstream[problem.reduction == Reduction::none ? b : 0];
    const CtcErrorBound errors(problem.input_lengths[b], problem.C, problem.target_lengths[b], problem.input);
    expect_gradient(batch, b, exact, {loss, share * upstream, errors}, outcome.gradient);
    reduced += share * loss;
    bound += share * errors.loss(std::isinf(loss) ? 0.0 : loss);
    if (problem.reduction != Reduction::none) continue;
    if (std::isinf(loss)) {
      EXPECT_EQ(outcome.loss[b], infinity);
    } else {
      EXPECT_LE(std::fabs(outcome.loss[b] - loss), errors.loss(loss)) << "b=" << b << " got " << outcome.loss[b];
    }
  }
  if (problem.reduction == Reduction::none) return;
  if (std::isinf(reduced)) {
    EXPECT_EQ(outcome.loss[0], infinity);
  } else {
    EXPECT_LE(std::fabs(outcome.loss[0] - reduced), bound * (1.0 + 1e-6)) << "reduced, got " << outcome.loss[0];
  }
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

class CtcLossEnumeration : public testing::TestWithParam<Options> {};

TEST_P(CtcLossEnumeration, EveryElementIsWithinTheDerivedBound) {
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

INSTANTIATE_TEST_SUITE_P(Options, CtcLossEnumeration, testing::ValuesIn(all_options()), name);

}  // namespace
}  // namespace assay::metal
