// Planted faults are gross; these are faint: errors of a bit, or of little more than a bound allows, each in the one
// situation that its property looks at. A property that got slack somewhere lets one of them through.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tests/limits.h"
#include "tests/validation/ctc/kernels.h"
#include "validation/core/report.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

using Problem = CtcProblem<float>;
using Results = metal::CtcOutput<float>;

using tests::infinity;
constexpr float least = std::numeric_limits<float>::denorm_min();

/// To the next float32.
void nudge(float& x) {
  x = std::nextafter(x, infinity);
}

void add_to_gradient(const Results& out, float amount) {
  if (!out.gradient.empty()) out.gradient[0] += amount;
}

bool some_activation(const Problem& problem, bool (*predicate)(float)) {
  return std::any_of(problem.activations.begin(), problem.activations.end(), predicate);
}

struct FaintFault {
  const char* name;
  const char* property;
  void (*spoil)(const Problem& problem, const Results& out, int threads);
};

const FaintFault faint_faults[] = {
    {"past_the_loss_when_alone", "outside",
     [](const Problem&, const Results& out, int) {
       if (out.gradient.empty()) out.loss.data()[out.loss.size()] = 0;
     }},
    {"every_second_call", "repeat",
     [](const Problem&, const Results& out, int) {
       static int calls = 0;
       if (++calls % 2 == 0 && !out.loss.empty()) nudge(out.loss[0]);
     }},
    {"seven_threads", "threads",
     [](const Problem&, const Results& out, int threads) {
       if (threads == 7) nudge(out.loss.back());
     }},
    {"after_a_larger_call", "two-shapes",
     [](const Problem& problem, const Results& out, int) {
       static std::size_t before = 0;
       if (before > problem.activations.size()) nudge(out.loss[0]);
       before = problem.activations.size();
     }},
    {"loss_alone", "loss-only",
     [](const Problem&, const Results& out, int) {
       if (out.gradient.empty()) nudge(out.loss.back());
     }},
    {"concatenated", "layout",
     [](const Problem& problem, const Results& out, int) {
       if (problem.layout == CtcTargets::concatenated && !out.gradient.empty()) nudge(out.gradient.back());
     }},
    {"nan_past_a_length", "padding",
     [](const Problem& problem, const Results& out, int) {
       if (some_activation(problem, [](float a) { return std::isnan(a); })) nudge(out.loss[0]);
     }},
    {"large_past_a_length", "padding",
     [](const Problem& problem, const Results& out, int) {
       if (some_activation(problem, [](float a) { return a == 1e30F; })) nudge(out.loss[0]);
     }},
    {"absurd_padding_of_targets", "padding",
     [](const Problem& problem, const Results& out, int) {
       if (std::ranges::count(problem.targets, std::numeric_limits<std::int64_t>::min()) > 0) nudge(out.loss[0]);
     }},
    {"number_for_infinity", "impossible",
     [](const Problem&, const Results& out, int) {
       for (float& loss : out.loss) loss = std::min(loss, std::numeric_limits<float>::max());
     }},
    {"zero_for_nan", "impossible",
     [](const Problem&, const Results& out, int) {
       for (float& g : out.gradient) g = std::isnan(g) ? 0 : g;
     }},
    {"zero_infinity_not_quite", "impossible",
     [](const Problem& problem, const Results& out, int) {
       for (float& loss : out.loss) loss = loss == 0 && problem.zero_infinity ? least : loss;
     }},
    {"loss_of_nothing", "empty",
     [](const Problem& problem, const Results& out, int) {
       if (problem.reduction == Reduction::none && problem.B > 2 && problem.input_lengths[2] == 0)
         out.loss[2] += 1e-12F;
     }},
    {"gradient_of_blanks", "empty",
     [](const Problem& problem, const Results& out, int) {
       if (problem.target_lengths[0] == 0) add_to_gradient(out, 1e-6F);
     }},
    {"just_below_zero", "nonnegative",
     [](const Problem&, const Results& out, int) {
       for (float& loss : out.loss) loss = loss < 1e-9F ? -1e-9F : loss;
     }},
    {"last_frame_past_a_length", "zero-past-length",
     [](const Problem& problem, const Results& out, int) {
       if (!out.gradient.empty() && problem.input_lengths.back() < problem.T) out.gradient.back() = -least;
     }},
    {"quiet_neighbour", "row-independence",
     [](const Problem& problem, const Results& out, int) {
       if (problem.B > 1 && problem.input_lengths[1] == 0 && out.loss.size() > 1) nudge(out.loss[0]);
     }},
    {"one_bit_from_nine_rows_on", "batch",
     [](const Problem& problem, const Results& out, int) {
       if (problem.B > 8) nudge(out.loss[0]);
     }},
    {"more_rows_than_one", "batch-singles",
     [](const Problem& problem, const Results& out, int) {
       if (problem.B > 1) add_to_gradient(out, 1e-6F);
     }},
    {"mean", "reductions",
     [](const Problem& problem, const Results& out, int) {
       if (problem.reduction == Reduction::mean) out.loss[0] *= 1 + 1e-5F;
     }},
    {"gradient_of_sum", "reductions",
     [](const Problem& problem, const Results& out, int) {
       if (problem.reduction == Reduction::sum) add_to_gradient(out, 1e-5F);
     }},
    {"loss_with_upstream", "linearity",
     [](const Problem& problem, const Results& out, int) {
       if (!problem.upstream.empty()) nudge(out.loss[0]);
     }},
    {"gradient_with_upstream", "linearity",
     [](const Problem& problem, const Results& out, int) {
       if (!problem.upstream.empty()) add_to_gradient(out, 1e-5F);
     }},
    {"one_class_of_a_frame", "frame-sums",
     [](const Problem&, const Results& out, int) { add_to_gradient(out, 1e-5F); }},
    {"large_logits", "shift",
     [](const Problem& problem, const Results& out, int) {
       if (some_activation(problem, [](float a) { return a > 500; })) add_to_gradient(out, 1e-6F);
     }},
    {"blank_that_is_not_0", "permutation",
     [](const Problem& problem, const Results& out, int) {
       if (problem.blank != 0) add_to_gradient(out, 1e-6F);
     }},
    {"from_log_probs", "input-kinds",
     [](const Problem& problem, const Results& out, int) {
       if (problem.input == CtcInput::log_probs) add_to_gradient(out, 1e-4F);
     }},
    {"with_respect_to_log_probs", "two-step",
     [](const Problem& problem, const Results& out, int) {
       if (problem.variable == CtcVariable::log_probs) add_to_gradient(out, 1e-5F);
     }},
    {"loss_by_three_bits", "loss",
     [](const Problem&, const Results& out, int) {
       for (float& loss : out.loss) loss *= 1 + 0x1p-21F;
     }},
    {"gradient_by_three_bits", "gradient",
     [](const Problem&, const Results& out, int) {
       for (float& g : out.gradient) g *= 1 + 0x1p-21F;
     }},
    {"gradient_of_other_classes", "gradient",
     [](const Problem& problem, const Results& out, int) {
       if (problem.C > 4 && !out.gradient.empty()) out.gradient[static_cast<std::size_t>(problem.C) - 1] += 1e-6F;
     }},
};

void PrintTo(const FaintFault& fault, std::ostream* out) {
  *out << fault.name << " by " << fault.property;
}

class Faint : public testing::TestWithParam<FaintFault> {};

TEST_P(Faint, FaultIsCaught) {
  const FaintFault& fault = GetParam();
  const StubKernel kernel([&](const Problem& problem, const Results& out, int threads) {
    plain_ctc_kernel()->run(problem, out, threads);
    fault.spoil(problem, out, threads);
  });
  Coverage coverage(class_names<CtcOperation>());
  const GateOptions options{.cases = 200, .shrink_budget = 0, .given = {}};
  EXPECT_EQ(run_property(property_named(fault.property), {kernel}, options, coverage).verdict, Verdict::fail);
}

INSTANTIATE_TEST_SUITE_P(All, Faint, testing::ValuesIn(faint_faults),
                         [](const auto& fault) { return std::string(fault.param.name); });

/// Where p = 1, -ln p is -0, and numpy.logaddexp makes p larger than 1 by a rounding.
TEST(Nonnegative, HoldsForALossBelowZeroByRounding) {
  const auto below_zero = spoiled([](const Results& out) {
    for (float& loss : out.loss) loss = loss == 0 ? -0.0F : loss < 1e-18F ? -2e-19F : loss;
  });
  const auto never_zero = spoiled([](const Results& out) {
    for (float& loss : out.loss) loss = loss < 1e-18F ? -2e-19F : loss;
  });
  const auto judged = [](const auto& kernel) {
    Coverage coverage(class_names<CtcOperation>());
    return run_property(property_named("nonnegative"), {kernel}, {.given = {}}, coverage);
  };
  struct Declaring final : CtcKernel {
    Declaring(const CtcKernel& of, bool nonnegative_loss) : of_(of), info_(of.info()) {
      info_.nonnegative_loss = nonnegative_loss;
    }
    const CtcKernelInfo& info() const override { return info_; }
    void run(const metal::AnyCtcProblem& problem, const metal::AnyCtcOutput& out,
             const CtcRequest& request) const override {
      of_.run(problem, out, request);
    }
    const CtcKernel& of_;
    CtcKernelInfo info_;
  };
  const auto report = judged(Declaring(below_zero, false));
  EXPECT_EQ(report.verdict, Verdict::pass) << failure_text(report);
  EXPECT_EQ(judged(Declaring(never_zero, false)).verdict, Verdict::pass);
  EXPECT_EQ(judged(Declaring(never_zero, true)).verdict, Verdict::fail);
}

}  // namespace
}  // namespace assay::validation
