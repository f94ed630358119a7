// The error contract: a number where a refusal is due is an error, and so is a refusal that names nothing.
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

#include "tests/matchers.h"
#include "tests/validation/ctc/kernels.h"

namespace assay::validation {
namespace {

Finding refusals_of(const CtcKernel& kernel) {
  return judge(property_named("refusals"), {kernel}, three_of_four_paths());
}

/// The plain kernel, but for what it says when it refuses.
StubKernel that_says(const std::string& message) {
  return StubKernel([message](const CtcProblem<float>& problem, const metal::CtcOutput<float>& out, int threads) {
    try {
      plain_ctc_kernel()->run(problem, out, threads);
    } catch (const std::invalid_argument&) {
      throw std::invalid_argument(message);
    }
  });
}

TEST(Refusals, AreThoseOfThePlainKernel) {
  EXPECT_EQ(refusals_of(*plain_ctc_kernel()).verdict, Verdict::pass);
}

TEST(Refusals, MayNotBeNumbers) {
  const Finding finding = refusals_of(
      StubKernel([](const CtcProblem<float>&, const metal::CtcOutput<float>& out, int) { fill_with_zero(out); }));
  EXPECT_EQ(finding.verdict, Verdict::error);
  EXPECT_THAT(finding.explanation, HasSubstr("a label equal to C: expected a refusal, got results"));
}

TEST(Refusals, NameTheArgument) {
  const Finding nameless = refusals_of(that_says("something is wrong"));
  EXPECT_EQ(nameless.verdict, Verdict::error);
  EXPECT_THAT(nameless.explanation, HasSubstr("the refusal does not name 'targets': something is wrong"));
  const Finding always_the_same = refusals_of(that_says("targets: bad"));
  EXPECT_EQ(always_the_same.verdict, Verdict::error);
  EXPECT_THAT(always_the_same.explanation, HasSubstr("does not name 'target_lengths'"));
}

TEST(Refusals, MayNotTrespass) {
  const StubKernel kernel([](const CtcProblem<float>& problem, const metal::CtcOutput<float>& out, int threads) {
    try {
      plain_ctc_kernel()->run(problem, out, threads);
    } catch (const std::invalid_argument&) {
      out.loss.data()[out.loss.size()] = 0;
      throw;
    }
  });
  EXPECT_EQ(refusals_of(kernel).verdict, Verdict::fail);
}

TEST(Refusals, AreNotDueToAHealthyProblem) {
  const StubKernel refuses_all([](const CtcProblem<float>&, const metal::CtcOutput<float>&, int) {
    throw std::invalid_argument("targets target_lengths input_lengths blank activations upstream loss gradient T C");
  });
  const Finding finding = refusals_of(refuses_all);
  EXPECT_EQ(finding.verdict, Verdict::error);
  EXPECT_THAT(finding.explanation, HasSubstr("a valid problem was refused"));
}

TEST(Refusals, AreStdInvalidArgument) {
  const StubKernel throws([](const CtcProblem<float>& problem, const metal::CtcOutput<float>& out, int threads) {
    try {
      plain_ctc_kernel()->run(problem, out, threads);
    } catch (const std::invalid_argument& refusal) {
      throw std::runtime_error(refusal.what());
    }
  });
  EXPECT_EQ(refusals_of(throws).verdict, Verdict::error);
}

}  // namespace
}  // namespace assay::validation
