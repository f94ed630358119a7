// One property over many cases: which verdict comes of it, on what case, and what is remembered of the others.
#include "validation/core/gate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/matchers.h"
#include "tests/validation/ctc/kernels.h"
#include "validation/core/subject_of.h"
#include "validation/ctc/faults/plain_kernel.h"
#include "validation/ctc/truth.h"

namespace assay::validation {
namespace {

using Check = std::function<Finding(const CtcCase&)>;

CtcProperty property_of(Check check, bool against_reference = false) {
  const auto ignoring_context = [check](const CtcContext&, const CtcCase& c) { return check(c); };
  return {"some-property", "something holds", {}, ignoring_context, against_reference};
}

PropertyReport run(const CtcProperty& property, const GateOptions& options, const Progress& progress = {}) {
  Coverage coverage(class_names<CtcOperation>());
  return run_property(property, {*plain_ctc_kernel()}, options, coverage, progress);
}

PropertyReport run(Check check, int cases = 20) {
  return run(property_of(std::move(check)), {.cases = cases, .given = {}});
}

TEST(Gate, PassesWhatHoldsEverywhere) {
  const auto report = run([](const CtcCase&) { return Finding::pass({0.5, "loss[0]"}); });
  EXPECT_EQ(report.property, "some-property");
  EXPECT_EQ(report.claim, "something holds");
  EXPECT_EQ(report.verdict, Verdict::pass);
  EXPECT_EQ(report.cases, 20);
  EXPECT_EQ(report.worst.share, 0.5);
  EXPECT_EQ(report.worst.place, "loss[0]");
  EXPECT_EQ(report.worst_case, "generated");
  EXPECT_GE(report.seconds, 0);
  EXPECT_FALSE(report.failure.has_value());
}

TEST(Gate, FailsForOneCaseOfMany) {
  int judged = 0;
  const auto report = run([&](const CtcCase&) { return ++judged == 15 ? Finding::fail("once") : Finding::pass(); });
  EXPECT_EQ(report.verdict, Verdict::fail);
  EXPECT_EQ(report.cases, 15);
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_THAT(report.failure->explanation, StartsWith("once"));
  EXPECT_EQ(report.failure->origin, "generated");
}

/// Each frame takes longer, the more there are: 0.2 s for 1019, as told without a clock.
TEST(Gate, LeavesOutNeedlesForWhichTheKernelIsSlow) {
  const StubKernel slow([](const auto&, const auto& out, int) { fill_with_zero(out); });
  const CtcProperty runs{"runs", "it runs", {}, [](const CtcContext&, const CtcCase& c) {
                           CallLog::note(2e-7 * static_cast<double>(c.T * c.T));
                           return Finding::pass();
                         }};
  Coverage coverage(class_names<CtcOperation>());
  const auto report = run_property(runs, {slow}, {.cases = 0, .given = {}, .reach = Reach::full}, coverage);
  EXPECT_EQ(report.verdict, Verdict::pass);
  EXPECT_EQ(report.reached.at("T").size, 1019);
  EXPECT_EQ(report.reached.at("T").due, 4097) << "what was not reached is told";
  EXPECT_EQ(report.reached.at("B").size, 131'073);
  EXPECT_THAT(report.skipped, Contains(Pair(HasSubstr("s a call where T = 4097"), 1)));
}

/// A failure that the case alone does not show is kept on the case as first met, and says that it depends on history.
TEST(Gate, SaysThatTheCaseAlonePasses) {
  int judged = 0;
  const auto report =
      run([&](const CtcCase&) { return ++judged >= 7 && judged < 10 ? Finding::fail("wrong") : Finding::pass(); });
  EXPECT_EQ(report.verdict, Verdict::fail);
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_TRUE(report.failure->passes_alone);
  EXPECT_EQ(report.failure->origin, "generated");
  EXPECT_THAT(report.failure->explanation, StartsWith("wrong\n"));
  EXPECT_THAT(report.failure->explanation, EndsWith("depends on earlier calls, or changes from call to call"));
  EXPECT_FALSE(run([](const CtcCase&) { return Finding::fail("always"); }).failure->passes_alone);
}

/// Shrinking may be led astray by history where the case as first met fails by itself.
TEST(Gate, ReturnsToTheCaseAsFirstMetIfThatFailsAlone) {
  const CtcCase given = select_rows(three_of_four_paths(), {0, 0, 0});
  std::set<std::int64_t> seen;
  const auto property = property_of(
      [&](const CtcCase& c) { return c.B == 3 || seen.insert(c.B).second ? Finding::fail("wrong") : Finding::pass(); });
  const auto report = run(property, {.cases = 0, .given = {{"three", given}}});
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->problem.as<CtcCase>(), given);
  EXPECT_EQ(report.failure->origin, "three");
  EXPECT_EQ(report.failure->explanation, "wrong");
  EXPECT_FALSE(report.failure->passes_alone);
}

/// Fails from its second call on.
struct Tiring final : PlainCtcKernel {
  mutable int calls = 0;
  void run(const Problem& problem, const metal::CtcOutput<float>& out, int threads) const override {
    if (++calls > 1) throw std::runtime_error("tired");
    PlainCtcKernel::run(problem, out, threads);
  }
};

TEST(Gate, JudgesTheCaseAloneOnAFreshKernel) {
  const auto property = CtcProperty{"runs", "it runs", {}, [](const CtcContext& context, const CtcCase& c) {
                                      run_valid(context.kernel, c);
                                      return Finding::pass();
                                    }};
  const auto judged = [&](const FreshKernel<CtcOperation>& fresh) {
    Coverage coverage(class_names<CtcOperation>());
    const Tiring tiring;
    return run_property(property, {.kernel = tiring, .fresh_kernel = fresh}, {.given = {}}, coverage);
  };
  EXPECT_TRUE(judged([](const std::string&) { return std::make_shared<const Tiring>(); }).failure->passes_alone);
  EXPECT_FALSE(judged({}).failure->passes_alone) << "the same kernel is still tired";
  const auto none = [](const std::string&) -> std::shared_ptr<const CtcKernel> { throw std::runtime_error("gone"); };
  EXPECT_FALSE(judged(none).failure->passes_alone);
}

TEST(Gate, KeepsTheMarginOfTheCaseAsFirstMet) {
  const auto report =
      run([](const CtcCase& c) { return Finding::fail("wrong", {1.0 + double(c.T), "loss[0]", double(c.T)}); });
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->margin.share, 1 + double(report.failure->problem.as<CtcCase>().T));
  EXPECT_GE(report.failure->first_margin.share, report.failure->margin.share);
  EXPECT_EQ(report.worst.share, report.failure->first_margin.share);
}

TEST(Gate, CallsAnErrorOne) {
  EXPECT_EQ(run([](const CtcCase&) { return Finding::error("refused"); }).verdict, Verdict::error);
  EXPECT_EQ(run([](const CtcCase&) -> Finding { throw std::bad_alloc(); }).verdict, Verdict::error);
}

TEST(Gate, SkipsWhatAppliesNowhereAndCountsTheReasons) {
  int judged = 0;
  const auto report = run([&](const CtcCase&) { return Finding::skip(judged++ < 5 ? "no frames" : "no labels"); });
  EXPECT_EQ(report.verdict, Verdict::skipped);
  EXPECT_THAT(report.skipped, ElementsAre(Pair("no frames", 5), Pair("no labels", 15)));
}

TEST(Gate, PassesWhatAppliesSomewhere) {
  int judged = 0;
  const auto report = run([&](const CtcCase&) { return judged++ == 7 ? Finding::pass() : Finding::skip("no frames"); });
  EXPECT_EQ(report.verdict, Verdict::pass);
  EXPECT_THAT(report.skipped, ElementsAre(Pair("no frames", 19)));
}

/// A property that judged nothing has not passed.
TEST(Gate, SkipsWhereThereIsNoCase) {
  const auto check = [](const CtcCase&) { return Finding::pass(); };
  EXPECT_EQ(run(check, 0).verdict, Verdict::skipped);
  EXPECT_THAT(run(check, 0).skipped, ElementsAre(Pair("there was no case to judge it on", 0)));
  const GateOptions options{.cases = 0, .given = {{"large", three_of_four_paths(), true}}};
  EXPECT_EQ(run(property_of(check), options).verdict, Verdict::skipped);
}

TEST(Gate, MistrustsForOneUncertainCase) {
  int judged = 0;
  const auto report = run([&](const CtcCase&) -> Finding {
    if (++judged == 3) throw ReferenceDisagrees("loss[0] at 50 and 70 digits");
    return Finding::pass();
  });
  EXPECT_EQ(report.verdict, Verdict::mistrusted);
  EXPECT_EQ(report.cases, 20);
  EXPECT_THAT(report.mistrust, HasSubstr("loss[0] at 50 and 70 digits"));
}

TEST(Gate, RanksAFailureOverMistrust) {
  int judged = 0;
  const auto check = [&](const CtcCase&) {
    return ++judged < 10 ? Finding::mistrust("unsure") : Finding::fail("sure");
  };
  EXPECT_EQ(run(check).verdict, Verdict::fail);
}

TEST(Gate, JudgesGivenCasesFirstAndNamesTheOneThatFails) {
  const CtcCase given = too_few_frames();
  std::vector<CtcCase> judged;
  const auto property = property_of([&](const CtcCase& c) {
    judged.push_back(c);
    return c == given ? Finding::fail("the given one") : Finding::pass();
  });
  const GateOptions options{
      .shrink_budget = 0,
      .given = {{"first", three_of_four_paths()}, {"speech.npz", given}, {"third", three_of_four_paths()}}};
  const auto report = run(property, options);
  EXPECT_EQ(report.verdict, Verdict::fail);
  EXPECT_THAT(judged, ElementsAre(three_of_four_paths(), given)) << "nothing is judged after the first failure";
  EXPECT_EQ(report.cases, 2);
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->origin, "speech.npz");
  EXPECT_EQ(report.failure->problem.as<CtcCase>(), given);
  EXPECT_EQ(report.worst_case, "speech.npz");
}

TEST(Gate, JudgesGeneratedCasesAfterGivenOnesThatPass) {
  const GateOptions options{.cases = 5, .given = {{"one", three_of_four_paths()}}};
  EXPECT_EQ(run(property_of([](const CtcCase&) { return Finding::pass(); }), options).cases, 6);
}

TEST(Gate, SparesOtherPropertiesTheSizesMeantForTheReference) {
  const GateOptions options{.cases = 0, .given = {{"small", three_of_four_paths()}, {"large", CtcCase(), true}}};
  const auto check = [](const CtcCase&) { return Finding::pass(); };
  EXPECT_EQ(run(property_of(check), options).cases, 1);
  EXPECT_EQ(run(property_of(check, true), options).cases, 2);
}

TEST(Gate, KnowsThePropertiesThatTheReferenceJudges) {
  std::vector<std::string> names;
  for (const auto& property : CtcOperation::properties())
    if (property.against_reference) names.push_back(property.name);
  EXPECT_THAT(names, ElementsAre("loss", "gradient", "random-rounding"));
}

TEST(Gate, ShrinksAFailureAndSaysInHowManySteps) {
  const auto check = [](const CtcCase& c) { return c.T >= 2 ? Finding::fail("too long") : Finding::pass(); };
  const auto report = run(check, 50);
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->problem.as<CtcCase>().T, 2);
  EXPECT_EQ(report.failure->problem.as<CtcCase>().B, 1);
  EXPECT_THAT(report.failure->origin, StartsWith("generated, shrunk in "));
}

/// Verdicts that shrinking asks for count neither as cases nor as coverage.
TEST(Gate, CountsNoCaseOfShrinking) {
  Coverage coverage(class_names<CtcOperation>());
  const auto property = property_of([](const CtcCase&) { return Finding::fail("always"); });
  const auto report = run_property(property, {*plain_ctc_kernel()}, {.given = {}}, coverage);
  EXPECT_EQ(report.cases, 1);
  EXPECT_EQ(coverage.cases(), 1);
}

TEST(Gate, CoversGeneratedCasesAlone) {
  Coverage coverage(class_names<CtcOperation>());
  const GateOptions options{.cases = 12, .given = {{"one", three_of_four_paths()}}};
  run_property(property_of([](const CtcCase&) { return Finding::pass(); }), {*plain_ctc_kernel()}, options, coverage);
  EXPECT_EQ(coverage.cases(), 12);
}

TEST(Gate, RemembersTheWorstMarginAndWhereItWas) {
  int judged = 0;
  const double shares[] = {0.25, 0.75, 0.5};
  const auto property = property_of([&](const CtcCase&) {
    const int i = judged++;
    return Finding::pass({shares[i], "case " + std::to_string(i)});
  });
  const GateOptions options{
      .cases = 0, .given = {{"a", three_of_four_paths()}, {"b", three_of_four_paths()}, {"c", three_of_four_paths()}}};
  const auto report = run(property, options);
  EXPECT_EQ(report.worst.share, 0.75);
  EXPECT_EQ(report.worst.place, "case 1");
  EXPECT_EQ(report.worst_case, "b");
}

TEST(Gate, ShowsTheMarginOfAFailureEvenIfItIsNan) {
  int judged = 0;
  const auto report = run([&](const CtcCase&) {
    return ++judged < 4 ? Finding::pass({0.9, "before"})
                        : Finding::fail("nan", {std::numeric_limits<double>::quiet_NaN(), "there"});
  });
  EXPECT_TRUE(std::isnan(report.worst.share));
  EXPECT_EQ(report.worst.place, "there");
}

TEST(Gate, TellsOfItsProgressBeforeEachCase) {
  testing::MockFunction<void(int)> progress;
  const testing::InSequence in_order;
  for (int i = 0; i < 4; ++i) EXPECT_CALL(progress, Call(i));
  run(property_of([](const CtcCase&) { return Finding::pass(); }), {.cases = 4, .given = {}}, progress.AsStdFunction());
}

TEST(Gate, JudgesTheSameCasesForTheSameSeed) {
  const auto seen = [](std::uint64_t seed) {
    std::vector<CtcCase> cases;
    const auto property = property_of([&](const CtcCase& c) {
      cases.push_back(c);
      return Finding::pass();
    });
    run(property, {.cases = 10, .seed = seed, .given = {}});
    return cases;
  };
  EXPECT_TRUE(seen(1) == seen(1));
  EXPECT_FALSE(seen(1) == seen(2));
}

}  // namespace
}  // namespace assay::validation
