// Gradient checks at extents past 1000: wrong kernels that random input of these sizes lets pass, or names for what
// they are not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/matchers.h"
#include "tests/validation/cce/kernels.h"
#include "tests/validation/ctc/kernels.h"
#include "tests/validation/svd/kernels.h"
#include "validation/cce/faults/plain_kernel.h"
#include "validation/gradcheck/operation.h"
#include "validation/registry.h"

namespace assay::validation {
namespace {

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

template <class Operation>
GradcheckRecord on(const typename Operation::Kernel& kernel, const typename Operation::Case& c) {
  return gradcheck<Operation>(kernel, {}, NamedCase<Operation>{"given", c});
}

template <class Operation>
GradcheckRecord on_sharp_cases(const typename Operation::Kernel& kernel) {
  return gradcheck<Operation>(kernel, {.cases = 0});
}

TEST(GradcheckSharp, RightKernelsPass) {
  for (const GradcheckRecord& record : {on_sharp_cases<CtcOperation>(*kernel_called<CtcOperation>("plain")),
                                        on_sharp_cases<CtcOperation>(*kernel_called<CtcOperation>("cpu")),
                                        on_sharp_cases<CceOperation>(*kernel_called<CceOperation>("plain")),
                                        on_sharp_cases<CceOperation>(*kernel_called<CceOperation>("cpu")),
                                        on_sharp_cases<SvdOperation>(*kernel_called<SvdOperation>("plain")),
                                        on_sharp_cases<SvdOperation>(*kernel_called<SvdOperation>("cpu"))}) {
    EXPECT_EQ(record.verdict, Verdict::pass) << to_text(record);
    EXPECT_GE(record.cases, 3);
    EXPECT_GT(record.worst.share, 1e-3) << "or the bounds would be slack";
  }
}

/// The gradient of a softmax over the first `classes` classes, but of the true posterior.
StubKernel softmax_of_first(std::int64_t classes) {
  return spoiled_gradient([classes](const CtcProblem<float>& p, std::span<float> gradient) {
    for (std::int64_t row = 0; row < p.T * p.B; ++row) {
      double all = 0, kept = 0;
      for (std::int64_t k = 0; k < p.C; ++k) {
        const double e = std::exp(double{p.activations[at(row * p.C + k)]});
        all += e;
        if (k < classes) kept += e;
      }
      const double upstream = p.upstream.empty() ? 1 : double{p.upstream[at(row % p.B)]};
      for (std::int64_t k = 0; k < p.C; ++k) {
        const double e = std::exp(double{p.activations[at(row * p.C + k)]});
        gradient[at(row * p.C + k)] += static_cast<float>(upstream * (e / kept - e / all));
      }
    }
  });
}

TEST(GradcheckSharp, AMissingTailOfTheSoftmaxIsNoLossOfDigits) {
  const GradcheckRecord record = on<CtcOperation>(softmax_of_first(1024), CtcOperation::sized_case(12, 1027, 5, 1, 3));
  EXPECT_EQ(record.verdict, Verdict::fail);
  EXPECT_THAT(record.patterns, Contains(HasSubstr("the softmax's sum lacks its last summands, class 1024 to 1026")));
  EXPECT_THAT(record.patterns, Not(Contains(HasSubstr("about right")))) << to_text(record);
  const GradcheckRecord sharp = on_sharp_cases<CtcOperation>(softmax_of_first(4096));
  EXPECT_EQ(sharp.verdict, Verdict::fail);
  EXPECT_THAT(sharp.patterns, Contains(HasSubstr("class 4096 to 4100"))) << to_text(sharp);
}

/// The cases of many classes have an upstream gradient, without which they are for a kernel that takes none.
TEST(GradcheckSharp, AMissingTailIsFoundAlsoInAKernelWithoutUpstream) {
  StubKernel kernel = softmax_of_first(1024);
  kernel.claims().declined = {"upstream"};
  const GradcheckRecord record = on_sharp_cases<CtcOperation>(kernel);
  EXPECT_EQ(record.verdict, Verdict::fail);
  EXPECT_THAT(record.patterns, Contains(HasSubstr("class 1024 to"))) << to_text(record);
}

TEST(GradcheckSharp, AMissingTailIsNamedAlsoWhereItsOwnElementsLackIt) {
  const auto kernel = StubKernel([](const CtcProblem<float>& p, const metal::CtcOutput<float>& out, int threads) {
    softmax_of_first(1024).run(p, out, threads);
    const CtcCase right = CtcOperation::sized_case(12, 1027, 5, 1, 3);
    for (std::int64_t t = 0; t < p.T && p.C == right.C; ++t)
      for (std::int64_t k = 1024; k < p.C; ++k) {
        const bool is_label = std::find(p.targets.begin(), p.targets.end(), k) != p.targets.end();
        if (!is_label) out.gradient[at(t * p.C + k)] = 0;
      }
    out.gradient[5] = std::numeric_limits<float>::quiet_NaN();
  });
  const GradcheckRecord record = on<CtcOperation>(kernel, CtcOperation::sized_case(12, 1027, 5, 1, 3));
  EXPECT_THAT(record.patterns, Contains(HasSubstr("the softmax's sum lacks its last summands, class 1024 to 1026")))
      << to_text(record);
}

/// Cross-entropy whose softmax leaves out the entries from 1024 on: p of all is too large.
struct FirstEntries final : PlainCceKernel {
  Running sum_exponentials(const Work&, const Numbers& x) const override {
    Running all{-std::numeric_limits<double>::infinity(), 0};
    for (std::size_t v = 0; v < std::min<std::size_t>(1024, x.size()); ++v) all = add(all, x[v]);
    return all;
  }
};

TEST(GradcheckSharp, AMissingTailOfTheVocabularyIsNamed) {
  const GradcheckRecord record = on_sharp_cases<CceOperation>(FirstEntries());
  EXPECT_EQ(record.verdict, Verdict::fail);
  EXPECT_THAT(record.patterns, Contains(HasSubstr("the softmax's sum lacks its last summands, entry 1024 to")))
      << to_text(record);
  EXPECT_THAT(record.patterns, Not(Contains(HasSubstr("about right")))) << to_text(record);
}

/// The labels of `problem` with label `at` in the place of the one before.
StubKernel mistaken_label(std::int64_t index) {
  return StubKernel([index](const CtcProblem<float>& problem, const metal::CtcOutput<float>& out, int threads) {
    CtcProblem<float> changed = problem;
    std::vector<std::int64_t> targets(problem.targets.begin(), problem.targets.end());
    if (std::ssize(targets) > index) targets[at(index)] = targets[at(index - 2)];
    changed.targets = targets;
    plain_ctc_kernel()->run(changed, out, threads);
  });
}

TEST(GradcheckSharp, OneWrongIndexAmongAThousandLabelsIsFound) {
  EXPECT_EQ(on_sharp_cases<CtcOperation>(mistaken_label(1024)).verdict, Verdict::fail);
  EXPECT_EQ(on_sharp_cases<CtcOperation>(mistaken_label(1026)).verdict, Verdict::fail);
}

/// The gradient takes the posterior of the last label from the label before, as by an index that stops one short.
TEST(GradcheckSharp, OneWrongIndexInTheGradientIsFound) {
  const auto kernel = spoiled_gradient([](const CtcProblem<float>& p, std::span<float> gradient) {
    if (p.targets.size() <= 1024 || p.B != 1) return;
    for (std::int64_t t = 0; t < p.T; ++t) {
      float& of_label = gradient[at(t * p.C + p.targets[1024])];
      float& of_before = gradient[at(t * p.C + p.targets[1023])];
      if (t > 1020) std::swap(of_label, of_before);
    }
  });
  EXPECT_EQ(on_sharp_cases<CtcOperation>(kernel).verdict, Verdict::fail);
}

TEST(GradcheckSharp, RowsThatAreLeftOutFromSomeOnAreNamed) {
  const auto kernel = spoiled_gradient([](const CtcProblem<float>& p, std::span<float> gradient) {
    for (std::int64_t t = 0; t < p.T; ++t)
      for (std::int64_t b = 1024; b < p.B; ++b)
        for (std::int64_t k = 0; k < p.C; ++k) gradient[at((t * p.B + b) * p.C + k)] = 0;
  });
  const GradcheckRecord record = on_sharp_cases<CtcOperation>(kernel);
  EXPECT_EQ(record.verdict, Verdict::fail);
  EXPECT_THAT(record.patterns, AllOf(Contains(HasSubstr("wrong from b = 1024 to the end, B = 1030")),
                                     Contains(HasSubstr("is 0 where it is wrong"))));
}

TEST(GradcheckSharp, ASoftmaxThatIsLeftOutOrScaledLacksNoSummand) {
  for (const char* fault : {"softmax-forgotten", "variable-ignored", "upstream-ignored", "sum-for-mean"})
    EXPECT_THAT(gradcheck<CtcOperation>(*kernel_called<CtcOperation>(std::string("fault:") + fault), {}).patterns,
                Not(Contains(HasSubstr("lacks"))))
        << fault;
}

CtcCase four_rows() {
  Random random(1);
  CtcCase c;
  c.T = 6;
  c.B = 4;
  c.C = 5;
  for (int i = 0; i < 120; ++i) c.activations.push_back(static_cast<float>(random.gaussian()));
  c.input_lengths = {6, 5, 6, 3};
  set_targets(c, {{1, 2}, {3}, {4, 4}, {2}});
  return c;
}

TEST(GradcheckSharp, AFactorIsNamedAlsoWhereElementsAreNaN) {
  for (const float lost : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const auto kernel = spoiled_gradient([&](const CtcProblem<float>& p, std::span<float> gradient) {
      for (float& g : gradient) g /= static_cast<float>(p.B);
      gradient[7] = gradient[31] = lost;
    });
    const GradcheckRecord record = on<CtcOperation>(kernel, four_rows());
    EXPECT_THAT(record.patterns, AllOf(Contains(HasSubstr("that factor is 1 / B: a mean over the batch (B = 4)")),
                                       Contains(HasSubstr("in 2 of "))))
        << to_text(record);
  }
  const auto negative = spoiled_gradient([&](const CtcProblem<float>&, std::span<float> gradient) {
    for (float& g : gradient) g = -g;
    gradient[7] = std::numeric_limits<float>::quiet_NaN();
  });
  EXPECT_THAT(on<CtcOperation>(negative, four_rows()).patterns, Contains(HasSubstr("got = -expected")));
}

TEST(GradcheckSharp, AnExtentThatDividesIsNamedInEveryOperation) {
  const auto by_classes = spoiled_gradient([](const CtcProblem<float>& p, std::span<float> gradient) {
    for (float& g : gradient) g /= static_cast<float>(p.C);
  });
  EXPECT_THAT(on<CtcOperation>(by_classes, four_rows()).patterns,
              Contains(HasSubstr("that factor is 1 / C: divided by C (C = 5)")));
  StubSvd does;
  does.gradient = [](const auto& cotangent, std::span<double> dA) {
    const auto notes = plain_svd_kernel()->gradient(cotangent, dA);
    for (double& g : dA) g *= static_cast<double>(cotangent.M);
    dA[0] = std::numeric_limits<double>::quiet_NaN();
    return notes;
  };
  const GradcheckRecord record =
      on<SvdOperation>(StubSvdKernel(does), SvdOperation::sized_case(1, 5, 3, 0, Dtype::float32, 1));
  EXPECT_THAT(record.patterns, Contains(HasSubstr("that factor is M: multiplied by M (M = 5)"))) << to_text(record);
}

/// The gradient is 0 in rows of three labels that ascend and twelve frames or more.
TEST(GradcheckSharp, AFaultOfLabelsInOrderIsFoundAndNamed) {
  const auto kernel = spoiled_gradient([](const CtcProblem<float>& p, std::span<float> gradient) {
    for (std::int64_t b = 0; b < p.B && p.layout == CtcTargets::padded; ++b) {
      const auto labels = p.targets.subspan(at(b * p.S), at(p.target_lengths[at(b)]));
      if (labels.size() != 3 || p.input_lengths[at(b)] < 12 || !std::ranges::is_sorted(labels)) continue;
      for (std::int64_t t = 0; t < p.T; ++t)
        for (std::int64_t k = 0; k < p.C; ++k) gradient[at((t * p.B + b) * p.C + k)] = 0;
    }
  });
  const GradcheckRecord record = on_sharp_cases<CtcOperation>(kernel);
  EXPECT_EQ(record.verdict, Verdict::fail);
  EXPECT_EQ(record.wrong_cases, 1);
  EXPECT_THAT(record.origin, HasSubstr("one to four labels that ascend (T=")) << to_text(record);
}

}  // namespace
}  // namespace assay::validation
