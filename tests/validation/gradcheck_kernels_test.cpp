// Gradient checks of kernels: right ones pass, and each planted fault is named for what it is.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/validation/cce/kernels.h"
#include "tests/validation/ctc/kernels.h"
#include "tests/validation/svd/kernels.h"
#include "validation/ctc/fields.h"
#include "validation/gradcheck/operation.h"
#include "validation/registry.h"

namespace assay::validation {
namespace {

using tests::nan;

std::string seen(const GradcheckRecord& record) {
  return to_text(record);
}

template <class Operation>
GradcheckRecord checked(const std::string& kernel, int cases = 40) {
  return gradcheck<Operation>(*kernel_called<Operation>(kernel), {.cases = cases});
}

TEST(GradcheckKernels, PassesRightOnes) {
  for (const auto& record :
       {checked<CtcOperation>("plain"), checked<CtcOperation>("cpu"), checked<CceOperation>("plain"),
        checked<SvdOperation>("plain"), checked<SvdOperation>("cpu")}) {
    EXPECT_EQ(record.verdict, Verdict::pass) << seen(record);
    EXPECT_GT(record.elements, 500);
    EXPECT_GT(record.worst.share, 1e-3) << "or the bounds would be slack";
    EXPECT_THAT(record.patterns, IsEmpty());
    EXPECT_THAT(record.variable, IsEmpty());
  }
}

TEST(GradcheckKernels, TellsTheVariable) {
  EXPECT_EQ(checked<CtcOperation>("fault:variable-ignored").variable, "this is dL/dlogits, you declared dL/dlog_probs");
  EXPECT_EQ(checked<CtcOperation>("fault:softmax-forgotten").variable,
            "this is dL/dlog_probs, you declared dL/dlogits");
  EXPECT_THAT(checked<CtcOperation>("fault:divided-too-often").variable,
              StartsWith("this is dL/dprobabilities, you declared dL/dlog_probs"));
  EXPECT_THAT(checked<CtcOperation>("fault:posterior-overwritten").variable, IsEmpty());
}

TEST(GradcheckKernels, TellsWhatThePlantedFaultsOfCtcAre) {
  for (const auto& [fault, pattern] :
       {std::pair{"upstream-ignored", "upstream gradient of ones: it is ignored"},
        std::pair{"upstream-of-first-row", "upstream[0] is taken for every row"},
        std::pair{"upstream-without-sign", "got = -expected"}, std::pair{"sum-for-mean", "mean is computed as sum"},
        std::pair{"mean-of-labels-only", "mean divides by the labels alone"},
        std::pair{"divided-too-seldom", "multiplied by y once too often"},
        std::pair{"impossible-keeps-softmax", "in rows that no alignment fits"},
        std::pair{"zero-times-infinity", "is NaN in"}}) {
    const GradcheckRecord record = checked<CtcOperation>(std::string("fault:") + fault, 60);
    EXPECT_EQ(record.verdict, Verdict::fail) << fault;
    EXPECT_THAT(record.patterns, Contains(HasSubstr(pattern))) << seen(record);
    EXPECT_THAT(record.reproducer, StartsWith("./assay gradcheck ctc --kernel fault:"));
    EXPECT_FALSE(record.worst_elements.empty());
  }
}

/// A right kernel that declares these limits: of one class, say, all its gradients are 0.
class Limited final : public CtcKernel {
 public:
  explicit Limited(const std::map<std::string, std::int64_t>& limits) : info_(plain_->info()) {
    info_.support.limits = limits;
  }
  const CtcKernelInfo& info() const override { return info_; }
  void run(const metal::AnyCtcProblem& problem, const metal::AnyCtcOutput& out, const CtcRequest& how) const override {
    plain_->run(problem, out, how);
  }

 private:
  std::shared_ptr<const CtcKernel> plain_ = kernel_called<CtcOperation>("plain");
  CtcKernelInfo info_;
};

TEST(GradcheckKernels, MistrustsAClaimThatLeavesNextToNothing) {
  for (const char* extent : {"C", "T"}) {
    const GradcheckRecord record = gradcheck<CtcOperation>(Limited({{extent, 1}}), {.cases = 20});
    EXPECT_EQ(record.verdict, Verdict::mistrusted) << seen(record);
    EXPECT_THAT(record.explanation, HasSubstr("of the drawn cases: expected a fifth"));
  }
  const GradcheckRecord right = gradcheck<CtcOperation>(Limited({{"T", 8}, {"C", 100}}), {.cases = 20});
  EXPECT_EQ(right.verdict, Verdict::pass) << seen(right);
}

/// Every element for which `chosen(problem, t, b, k)` holds is wrong.
template <class Chosen>
StubKernel wrong_where(const Chosen& chosen) {
  return spoiled_gradient([chosen](const CtcProblem<float>& problem, std::span<float> gradient) {
    for (std::int64_t t = 0; t < problem.T; ++t)
      for (std::int64_t b = 0; b < problem.B; ++b)
        for (std::int64_t k = 0; k < problem.C; ++k)
          if (chosen(problem, t, b, k))
            gradient[static_cast<std::size_t>((t * problem.B + b) * problem.C + k)] +=
                0.5F + std::sin(static_cast<float>(t + 7 * b + 31 * k)) / 4;
  });
}

/// T=5, B=3, C=4 with rows of 5, 4 and 2 frames; the first row's label 2 follows itself.
CtcCase three_rows() {
  CtcCase c;
  c.T = 5;
  c.B = 3;
  c.C = 4;
  for (int i = 0; i < 60; ++i) c.activations.push_back(std::sin(static_cast<float>(3 * i + 1)));
  c.input_lengths = {5, 4, 2};
  set_targets(c, {{2, 2}, {3, 1}, {1}});
  return c;
}

GradcheckRecord on_three_rows(const CtcKernel& kernel) {
  CtcNamedCase given{"three rows", three_rows()};
  CtcOperation::adapt(kernel, given.problem);
  return gradcheck<CtcOperation>(kernel, {}, given);
}

/// Gradients of 16 bits pass under the bounds of their type, and fail under those of float32.
TEST(GradcheckKernels, JudgesNarrowGradientsAsTheyAreDeclared) {
  class Narrow final : public CtcKernel {
   public:
    Narrow(Dtype dtype, bool declared) : dtype_(dtype) {
      if (!declared) return;
      info_.support.dtypes = {dtype};
    }
    const CtcKernelInfo& info() const override { return info_; }
    void run(const metal::AnyCtcProblem& problem, const metal::AnyCtcOutput& out, const CtcRequest&) const override {
      metal::with_types(problem, out, [&]<class Real>(const CtcProblem<Real>& typed, const metal::CtcOutput<Real>& to) {
        metal::ctc_loss(typed, to);
        for (Real& g : to.gradient) g = static_cast<Real>(rounded_to(dtype_, static_cast<double>(g)));
      });
    }

   private:
    Dtype dtype_;
    CtcKernelInfo info_ = plain_ctc_kernel()->info();
  };
  for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16}) {
    const GradcheckRecord right = on_three_rows(Narrow(dtype, true));
    EXPECT_EQ(right.verdict, Verdict::pass) << seen(right);
    EXPECT_GT(right.worst.share, 0.1) << "or the bounds would be slack";
    const GradcheckRecord wrong = on_three_rows(Narrow(dtype, false));
    EXPECT_EQ(wrong.verdict, Verdict::fail);
    EXPECT_THAT(wrong.patterns, Contains(HasSubstr("digits are lost")));
  }
}

template <class Chosen>
std::vector<std::string> patterns_where(const Chosen& chosen) {
  const GradcheckRecord record = on_three_rows(wrong_where(chosen));
  EXPECT_EQ(record.verdict, Verdict::fail);
  return record.patterns;
}

std::int64_t frames(const CtcProblem<float>& problem, std::int64_t b) {
  return problem.input_lengths[static_cast<std::size_t>(b)];
}

TEST(GradcheckKernels, TellsWhereItIsWrong) {
  EXPECT_THAT(patterns_where([](const auto& p, auto t, auto b, auto) { return t >= frames(p, b); }),
              Contains(HasSubstr("wrong only past input_lengths: in 16 of 16 elements there")));
  EXPECT_THAT(patterns_where([](const auto& p, auto t, auto b, auto) { return t + 1 == frames(p, b); }),
              Contains(HasSubstr("at the last frame of each row")));
  EXPECT_THAT(patterns_where([](const auto& p, auto, auto, auto k) { return k == p.blank; }),
              Contains(HasSubstr("at the blank")));
  EXPECT_THAT(patterns_where([](const auto&, auto, auto b, auto k) { return b == 0 ? k == 2 : b == 2 && k == 1; }),
              Contains(HasSubstr("at labels of the row")));
  EXPECT_THAT(patterns_where([](const auto&, auto, auto b, auto k) { return b == 0 && k == 2; }),
              Contains(HasSubstr("at labels that follow themselves")));
  EXPECT_THAT(patterns_where([](const auto&, auto, auto b, auto k) { return b == 0 && k != 1; }),
              Contains(HasSubstr("in rows where a label follows itself")));
  EXPECT_THAT(patterns_where([](const auto&, auto, auto b, auto) { return b == 1; }),
              Contains(HasSubstr("wrong only at b=1: a whole row, all 20 elements")));
  EXPECT_THAT(patterns_where([](const auto&, auto t, auto b, auto) { return t == 2 && b == 1; }),
              Contains(HasSubstr("wrong only at t=2, b=1: a whole frame of a row, all 4 elements")));
  EXPECT_THAT(patterns_where([](const auto&, auto, auto, auto k) { return k == 3; }),
              Contains(HasSubstr("wrong only at k=3: a whole class")));
}

TEST(GradcheckKernels, TellsAFactorATranspositionAShiftAndZero) {
  const auto half = spoiled_gradient([](const auto& problem, auto gradient) {
    for (float& g : gradient) g /= static_cast<float>(problem.B);
  });
  const GradcheckRecord record = on_three_rows(half);
  EXPECT_THAT(record.patterns, Contains(HasSubstr("got = 0.333333 x expected")));
  EXPECT_THAT(record.patterns, Contains(HasSubstr("1 / B: a mean over the batch")));
  EXPECT_THAT(record.patterns, Not(Contains(HasSubstr("1 / T"))));
  const auto rows_first = spoiled_gradient([](const auto& p, auto gradient) {
    const std::vector<float> right(gradient.begin(), gradient.end());
    for (std::int64_t t = 0; t < p.T; ++t)
      for (std::int64_t b = 0; b < p.B; ++b)
        for (std::int64_t k = 0; k < p.C; ++k)
          gradient[static_cast<std::size_t>((b * p.T + t) * p.C + k)] =
              right[static_cast<std::size_t>((t * p.B + b) * p.C + k)];
  });
  EXPECT_THAT(on_three_rows(rows_first).patterns, Contains(HasSubstr("laid out as [B, T, C] where [T, B, C] is due")));
  const auto late = spoiled_gradient([](const auto& p, auto gradient) {
    const std::vector<float> right(gradient.begin(), gradient.end());
    const std::int64_t frame = p.B * p.C;
    for (std::int64_t i = 0; i < p.T * frame; ++i)
      if (i / frame < frames(p, i / p.C % p.B))
        gradient[static_cast<std::size_t>(i)] = i < frame ? 0 : right[static_cast<std::size_t>(i - frame)];
  });
  EXPECT_THAT(on_three_rows(late).patterns, Contains(HasSubstr("got at t is what is due at t - 1")));
  const auto zero =
      spoiled_gradient([](const auto&, auto gradient) { std::fill(gradient.begin(), gradient.end(), 0.0F); });
  EXPECT_THAT(on_three_rows(zero).patterns, Contains(HasSubstr("0 everywhere")));
}

TEST(GradcheckKernels, FailsForOneNanAndListsTheWorstFirst) {
  const auto one = spoiled_gradient([](const auto&, auto gradient) {
    gradient[3] += 1e-3F;
    gradient[17] = nan;
    gradient[30] += 0.1F;
  });
  const GradcheckRecord record = on_three_rows(one);
  EXPECT_EQ(record.verdict, Verdict::fail);
  EXPECT_EQ(record.wrong, 3);
  ASSERT_EQ(record.worst_elements.size(), 3U);
  EXPECT_EQ(record.worst_elements[0].place, "gradient[t=1, b=1, k=1]");
  EXPECT_EQ(record.worst_elements[1].place, "gradient[t=2, b=1, k=2]");
  EXPECT_EQ(record.worst_elements[2].place, "gradient[t=0, b=0, k=3]");
  EXPECT_TRUE(std::isnan(record.worst.share));
  EXPECT_GE(record.worst_elements[1].exact.size(), 25U);
  EXPECT_EQ(gradcheck<CtcOperation>(one, {.worst = 1}, CtcNamedCase{"three rows", three_rows()}).worst_elements.size(),
            1U);
}

TEST(GradcheckKernels, TellsOfTrespassesRefusalsAndExceptions) {
  const auto beside = spoiled_gradient([](const auto&, auto gradient) { gradient.data()[gradient.size()] = 0; });
  EXPECT_EQ(on_three_rows(beside).verdict, Verdict::fail);
  EXPECT_THAT(on_three_rows(beside).explanation, HasSubstr("wrote gradient[60], past its 60 elements"));
  const StubKernel refuses([](const auto&, const auto&, int) { throw std::invalid_argument("T: too long"); });
  EXPECT_EQ(on_three_rows(refuses).verdict, Verdict::error);
  EXPECT_THAT(on_three_rows(refuses).explanation, HasSubstr("T: too long"));
  const StubKernel writes_nothing([](const auto&, const auto&, int) {});
  EXPECT_EQ(on_three_rows(writes_nothing).verdict, Verdict::fail);
  EXPECT_THAT(on_three_rows(writes_nothing).patterns, Contains(HasSubstr("are not written")));
}

TEST(GradcheckKernels, SkipsWhatTheKernelDoesNotClaim) {
  class RowsOfOne final : public CtcFloatKernel {
   public:
    RowsOfOne() { info_.support.limits["B"] = 1; }
    const CtcKernelInfo& info() const override { return info_; }
    void run(const CtcProblem<float>&, const metal::CtcOutput<float>&, int) const override {
      throw std::logic_error("asked");
    }

   private:
    CtcKernelInfo info_ = plain_ctc_kernel()->info();
  };
  const GradcheckRecord record = on_three_rows(RowsOfOne());
  EXPECT_EQ(record.verdict, Verdict::skipped);
  EXPECT_THAT(record.notes, Contains(HasSubstr("the kernel does not do B > 1")));
  const GradcheckRecord none = checked<SvdOperation>("metal-emulated", 3);
  EXPECT_EQ(none.verdict, Verdict::skipped);
}

TEST(GradcheckKernels, TellsWhatThePlantedFaultsOfCrossEntropyAre) {
  for (const auto& [fault, pattern] : {std::pair{"upstream-ignored", "upstream gradient of ones: it is ignored"},
                                       std::pair{"upstream-of-first-token", "upstream[0] is taken for every token"},
                                       std::pair{"gradient-zero", "dweight is 0 everywhere"},
                                       std::pair{"smoothing-in-loss-only", "without label_smoothing"},
                                       std::pair{"z-loss-in-loss-only", "without z_loss"},
                                       std::pair{"mean-of-loss-only", "of reduction sum, where mean is asked for"},
                                       std::pair{"second-occurrence-lost", "tokens whose target occurred before"},
                                       std::pair{"ignored-rows-unwritten", "are not written"}}) {
    const GradcheckRecord record = checked<CceOperation>(std::string("fault:") + fault, 30);
    EXPECT_EQ(record.verdict, Verdict::fail) << fault;
    EXPECT_THAT(record.patterns, Contains(HasSubstr(pattern))) << seen(record);
  }
}

TEST(GradcheckKernels, TellsATransposedDweight) {
  const StubCceKernel kernel([](const metal::AnyCceProblem& problem, const metal::AnyCceOutput& out, const auto& how) {
    plain_cce_kernel()->run(problem, out, how);
    const auto dweight = std::get<std::span<float>>(out.dweight);
    const std::vector<float> right(dweight.begin(), dweight.end());
    for (std::size_t v = 0; v < 4; ++v)
      for (std::size_t h = 0; h < 2; ++h) dweight[h * 4 + v] = right[v * 2 + h];
  });
  const GradcheckRecord record = gradcheck<CceOperation>(kernel, {}, CceNamedCase{"three tokens", three_tokens()});
  EXPECT_EQ(record.verdict, Verdict::fail);
  EXPECT_THAT(record.patterns, Contains(HasSubstr("dweight is transposed: laid out as [H, V] where [V, H] is due")));
  EXPECT_THAT(record.patterns, Not(Contains(HasSubstr("dhidden"))));
}

/// 16-bit kernels, whose gradients are of the type of the problem: passed by their own bounds.
TEST(GradcheckKernels, JudgesCrossEntropyInEachType) {
  for (const Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
    CceCase c = two_entries();
    c.dtype = dtype;
    const CceNamedCase given{"two words", c};
    EXPECT_EQ(gradcheck<CceOperation>(*kernel_called<CceOperation>("cpu"), {}, given).verdict, Verdict::pass);
    const GradcheckRecord wrong =
        gradcheck<CceOperation>(*kernel_called<CceOperation>("fault:gradient-zero"), {}, given);
    EXPECT_EQ(wrong.verdict, Verdict::fail) << name_of(dtype);
  }
}

TEST(GradcheckKernels, TellsWhatIsWrongWithAnSvdsGradient) {
  const auto patterns = [](const auto& spoil) {
    const StubSvdKernel kernel({.gradient = [spoil](const metal::SvdCotangent<double>& given, std::span<double> dA) {
      const auto notes = plain_svd_kernel()->gradient(given, dA);
      spoil(given, dA);
      return notes;
    }});
    return gradcheck<SvdOperation>(kernel, {}, SvdNamedCase{"two tall", two_tall()}).patterns;
  };
  EXPECT_THAT(patterns([](const auto&, auto dA) {
                const std::vector<double> right(dA.begin(), dA.end());
                for (std::size_t i = 0; i < 3; ++i)
                  for (std::size_t j = 0; j < 2; ++j) dA[j * 3 + i] = right[i * 2 + j];
              }),
              Contains(HasSubstr("laid out as [B, N, M] where [B, M, N] is due")));
  EXPECT_THAT(patterns([](const auto&, auto dA) {
                for (double& g : dA) g *= 2;
              }),
              Contains(HasSubstr("got = 2 x expected")));
  EXPECT_THAT(patterns([](const auto& given, auto dA) {
                metal::SvdCotangent<double> without = given;
                without.dVh = {};
                plain_svd_kernel()->gradient(without, dA);
              }),
              Contains(HasSubstr("dL/dVh is ignored")));
  EXPECT_THAT(checked<SvdOperation>("fault:ds-ignored", 20).patterns, Contains(HasSubstr("dL/dS is ignored")));
}

}  // namespace
}  // namespace assay::validation
