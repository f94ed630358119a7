// Needle cases: the sizes they have, how the gate judges them, and what it tells of them.
#include "validation/core/reach.h"

#include "tests/matchers.h"
#include "tests/validation/counting_operation.h"
#include "tests/validation/operations/operations.h"
#include "validation/core/call_time.h"
#include "validation/core/draw.h"
#include "validation/core/finding_of.h"
#include "validation/core/noticed.h"
#include "validation/core/remembered.h"
#include "validation/core/report.h"

namespace assay::validation {
namespace {

using testing::IsSupersetOf;

TEST(NeedleSizes, PassEveryPowerOfTwo) {
  const NeedleExtent extent{"B", 'b', 1 << 17};
  const auto sizes = needle_sizes(extent, Reach::full, true);
  EXPECT_THAT(sizes, IsSupersetOf({7L, 8L, 9L, 1023L, 1024L, 1025L, 1013L, 10'007L, 131'071L, 131'072L, 131'073L}));
  EXPECT_TRUE(std::ranges::is_sorted(sizes));
  EXPECT_EQ(sizes.back(), 131'073);
  EXPECT_THAT(needle_sizes({"S", 's', 8}, Reach::full, true), ElementsAre(7, 8, 9));
}

TEST(NeedleSizes, AreFewForRelationsAndForAQuickRun) {
  const NeedleExtent extent{"B", 'b', 1 << 12};
  EXPECT_THAT(needle_sizes(extent, Reach::full, false), ElementsAre(9, 33, 65, 257, 1019, 4097));
  EXPECT_THAT(needle_sizes(extent, Reach::quick, true), ElementsAre(9, 1019, 4097));
  EXPECT_THAT(needle_sizes(extent, Reach::quick, false), ElementsAre(9, 1019));
  EXPECT_THAT(needle_sizes({"B", 'b', 1 << 12, 1 << 10}, Reach::quick, false), ElementsAre(9, 1019, 4097));
  EXPECT_THAT(needle_sizes(extent, Reach::none, true), ElementsAre());
}

TEST(NeedleSizes, AreFewPastTheDenseOnes) {
  const NeedleExtent batch{"B", 'b', 1 << 17, 1 << 10};
  const auto sizes = needle_sizes(batch, Reach::full, true);
  EXPECT_THAT(sizes, IsSupersetOf({1023L, 1024L, 1025L, 4097L, 16'385L, 65'537L, 131'073L}));
  EXPECT_EQ(std::ranges::count_if(sizes, [](std::int64_t size) { return size > 1025; }), 4);
  EXPECT_THAT(needle_sizes(batch, Reach::thorough, true), IsSupersetOf({131'071L, 131'072L, 131'073L}));
  EXPECT_EQ(needle_sizes(batch, Reach::full, false).back(), 131'073);
}

TEST(CallTimes, GrowLikeAPowerOfTheSizeUpToItsSquare) {
  CallTimes times;
  EXPECT_EQ(times.at(100), 0) << "nothing is known";
  times.add(10, 1);
  EXPECT_DOUBLE_EQ(times.at(20), 1) << "one call says nothing of growth";
  times.add(20, 2);
  EXPECT_DOUBLE_EQ(times.at(40), 4);
  times.add(40, 2);
  EXPECT_DOUBLE_EQ(times.at(80), 2);
  times.add(80, 2000);
  EXPECT_DOUBLE_EQ(times.at(160), 8000);
  times.add(160, 0);
  EXPECT_EQ(times.at(320), 0);
  CallTimes of_operations(1);
  of_operations.add(40, 1);
  of_operations.add(80, 2000);
  EXPECT_DOUBLE_EQ(of_operations.at(160), 4000) << "no kernel needs the square of the operations";
}

TEST(CallTimes, AreForetoldFromNearerSizesBeforeACallIsCalledSlow) {
  CallTimes times;
  EXPECT_EQ(times.next(9, 1), 9) << "nothing is known";
  times.add(9, 1e-5);
  times.add(1019, 0.01);
  ASSERT_GT(times.at(131'073), 1);
  EXPECT_EQ(times.next(131'073, 1), 8152);
  times.add(8152, 0.01);
  EXPECT_EQ(times.next(131'073, 1), 131'073);
}

TEST(CallTimes, HaveTheLastSizeOnceMoreBeforeAKernelIsCalledSlow) {
  CallTimes delayed, slow;
  for (CallTimes* times : {&delayed, &slow}) {
    times->add(257, 0.001);
    times->add(1019, 0.3);
    EXPECT_EQ(times->next(4097, 1), 1019);
  }
  delayed.add(1019, 0.004);
  EXPECT_EQ(delayed.next(4097, 1), 4097);
  slow.add(1019, 0.4);
  EXPECT_EQ(slow.next(4097, 1), 0);
  EXPECT_EQ(slow.next(1100, 0.3), 0);
}

TEST(CallTime, IsOfTheProcessorUnlessTheCallHardlyUsesIt) {
  EXPECT_EQ(call_time(1, 1), 1);
  EXPECT_EQ(call_time(5, 1), 1) << "other programs had the processor";
  EXPECT_EQ(call_time(1, 2), 1) << "two processors at the same time";
  EXPECT_EQ(call_time(3, 0.01), 3) << "another device computes";
  EXPECT_EQ(call_time(0.4, 1e-4), 1e-4) << "a short call waits for other programs";
  EXPECT_EQ(call_time(0, 0), 0);
}

TEST(CallTimer, CountsTheProcessorTimeOfOtherProcesses) {
  const CallTimer timer;
  processor_time_elsewhere += 1e9;
  EXPECT_GE(timer.seconds(), 0);
  EXPECT_LT(timer.seconds(), 1e9) << "no more than elapsed";
}

TEST(CallLog, HasTheLongestCallSinceItBeganAndOfThoseWithin) {
  const CallLog all;
  CallLog::note(0.2);
  const Finding finding = finding_of([] {
    CallLog::note(0.3);
    CallLog::note(0.1);
    return Finding::pass();
  });
  EXPECT_EQ(finding.longest_call, 0.3);
  EXPECT_EQ(finding_of([]() -> Finding { throw Unsupported("asked for too much"); }).longest_call, 0);
  EXPECT_EQ(all.longest(), 0.3);
}

TEST(SlowestCall, HasNoLimitInAThoroughRun) {
  EXPECT_GT(slowest_call(Reach::full, true), slowest_call(Reach::full, false));
  EXPECT_TRUE(std::isinf(slowest_call(Reach::thorough, false)));
}

TEST(SomeIndices, HoldTheFirstAndTheLast) {
  EXPECT_THAT(some_indices(3, 8), ElementsAre(0, 1, 2));
  EXPECT_THAT(some_indices(100, 4), ElementsAre(0, 33, 66, 99));
  EXPECT_THAT(some_indices(100, 1), ElementsAre(0));
  EXPECT_THAT(some_indices(0, 8), ElementsAre());
}

TEST(Noticed, CountsEachIndexOnce) {
  MarkedIndices noticed;
  for (const std::int64_t index : {5, 131'072, 5, 0}) noticed.mark('k', index);
  EXPECT_EQ(noticed.count('k'), 3);
  EXPECT_EQ(noticed.count('t'), 0);
}

TEST(Comparison, NoticesElementsLargerThanTheirBound) {
  Comparison comparison;
  comparison.near({"gradient", 2, 0, 7}, 0.5F, 0.5, 0.1);
  comparison.near({"gradient", 3, 0, 8}, 0.0F, 0.05, 0.1);
  comparison.near({"gradient", 4, 0, 9}, NAN, double{NAN}, 0.1);
  const auto finding = comparison.finding();
  ASSERT_NE(finding.noticed, nullptr);
  EXPECT_EQ(finding.noticed->elements.count('k'), 1) << "an element below its bound may be anything";
  EXPECT_EQ(finding.noticed->elements.count('t'), 1);
  EXPECT_EQ(finding.noticed->terms.count('t'), 0);
}

TEST(Comparison, NoticesTermsLargerThanTheBoundOnTheirSum) {
  Comparison comparison;
  comparison.would_notice('n', 3, 0.2, 0.1);
  comparison.would_notice('n', 4, 0.1, 0.1);
  comparison.would_notice('n', 5, NAN, 0.1);
  const auto finding = comparison.finding();
  EXPECT_EQ(finding.noticed->terms.count('n'), 1);
  EXPECT_EQ(finding.noticed->elements.count('n'), 0);
}

TEST(Remembered, MakesEachOfAPeriodOnce) {
  Remembered<int, int> squares;
  int made = 0;
  for (int i = 0; i < 10 * needle_period; ++i) {
    const int c = i % static_cast<int>(needle_period);
    EXPECT_EQ(squares.of(c, [&](int x) { return ++made, x * x; }), c * c);
  }
  EXPECT_EQ(made, needle_period);
}

TEST(Reached, KeepsTheLargerSize) {
  Reached reached{9, 9, 65, 9};
  reached.merge({33, 2, 33, 0});
  EXPECT_EQ(reached, (Reached{33, 2, 65, 0}));
  reached.merge({33, 20, 33, 1});
  reached.merge({33, 1, 33, 30});
  reached.merge({9, 9, 129, 9});
  EXPECT_EQ(reached, (Reached{33, 20, 129, 30}));
}

TEST(Gate, JudgesNeedleCasesLast) {
  using O = CountingOperation;
  O::seen().clear();
  Coverage coverage;
  const GateOptions options{.cases = 3, .given = {}, .reach = Reach::full};
  EXPECT_EQ(units_of(SubjectOf<O>({CountingKernel()}), options), 3) << "generated cases, an extent, planned cases";
  const auto report = run_property(O::properties()[5], {CountingKernel()}, options, coverage);
  EXPECT_THAT(O::seen(), IsSupersetOf({9U, 33U, 65U}));
  EXPECT_EQ(report.reached.at("value").size, 65);
  EXPECT_EQ(coverage.cases(), 3) << "coverage counts generated cases alone";
}

TEST(Gate, LeavesOutNeedlesBeyondTheReachOfAKernel) {
  using O = CountingOperation;
  CountingKernel slow;
  slow.description.support.reach = 40;
  Coverage coverage;
  const GateOptions options{.cases = 0, .given = {}, .reach = Reach::full};
  const Reached reached = run_property(O::properties()[5], {slow}, options, coverage).reached.at("value");
  EXPECT_EQ(reached.size, 33);
  EXPECT_EQ(reached.due, 65) << "what was not reached is told";
}

struct LargeCountingOperation : CountingOperation {
  static constexpr std::array<NeedleExtent, 1> needle_extents = {{{"value", 'v', 1 << 17, 1 << 10}}};
  static std::vector<NamedCase<LargeCountingOperation>> paired_cases(Reach, std::uint64_t) { return {}; }
};

/// How far a quick run goes with a kernel whose call for a value takes `seconds(value)`.
std::int64_t reached_with(const std::function<double(double)>& seconds) {
  using O = LargeCountingOperation;
  const Property<O> timed = {"timed", "", {}, [&](const Context<O>&, const O::Case& c) {
                               CallLog::note(seconds(static_cast<double>(c.value)));
                               return Finding::pass();
                             }};
  Coverage coverage;
  const GateOptions options{.cases = 0, .given = {}, .reach = Reach::quick};
  return run_property(timed, {CountingKernel()}, options, coverage).reached.at("value").size;
}

TEST(Gate, GoesAsFarAsCallsAreFast) {
  EXPECT_EQ(reached_with([](double) { return 0.9; }), 131'073);
  EXPECT_EQ(reached_with([](double value) { return 1e-5 * value; }), 65'216);
  EXPECT_EQ(reached_with([](double value) { return 1e-4 * value * value; }), 1019);
}

TEST(Gate, IsNotStoppedByOneSlowCall) {
  EXPECT_EQ(reached_with([](double value) { return value == 1019 ? 1e-2 : 1e-5; }), 131'073);
}

template <class O>
class Needles : public testing::Test {};
TYPED_TEST_SUITE(Needles, Operations, OperationName);

TYPED_TEST(Needles, AreValidAndHaveTheirSize) {
  for (const NeedleExtent& extent : TypeParam::needle_extents)
    for (const std::int64_t size : {9L, 64L, 1019L}) {
      const auto c = TypeParam::needle(extent.name, size);
      EXPECT_NO_THROW(require_valid(c)) << extent.name;
      EXPECT_EQ(extent_of<TypeParam>(extent.name, statement_of(c)), size);
      EXPECT_EQ(c, TypeParam::needle(extent.name, size)) << "a needle case is the same each time";
    }
}

/// The gate's promise: no index of a large extent can be left out without a failure, neither its result nor its term.
TYPED_TEST(Needles, NoticeEveryIndex) {
  const auto cpu = TypeParam::shipped_kernel("cpu");
  for (const NeedleExtent& extent : TypeParam::needle_extents) {
    std::int64_t elements = 0, terms = 0;
    for (const auto& property : TypeParam::properties()) {
      const Finding finding = judge(property, Context<TypeParam>{*cpu}, TypeParam::needle(extent.name, 257));
      EXPECT_FALSE(is_failure(finding.verdict)) << property.name << extent.name << finding.explanation;
      if (!finding.noticed) continue;
      elements = std::max(elements, finding.noticed->elements.count(extent.index));
      terms = std::max(terms, finding.noticed->terms.count(extent.index));
    }
    const bool has_no_element = std::string_view(extent.name) == "S";  // labels have no index in a result
    const bool has_no_term = TypeParam::name == std::string("svd") && extent.index == 'b';  // nor matrices in a sum
    EXPECT_EQ(elements, has_no_element ? 0 : 257) << extent.name;
    EXPECT_EQ(terms, has_no_term ? 0 : 257) << extent.name;
  }
}

/// The largest needle cases are held to the reference itself, not only to a smaller problem of the same kernel.
template <class O>
Finding judge_fault(const char* fault, const char* property, const char* extent, std::int64_t size) {
  const auto& faulty = *named(O::faults(), fault).kernel;
  return judge(named(O::properties(), property), Context<O>{faulty}, O::needle(extent, size));
}

void expect_failure_at(const Finding& finding, const char* place) {
  EXPECT_EQ(finding.verdict, Verdict::fail);
  EXPECT_THAT(finding.explanation, HasSubstr(place));
}

TEST(Needles, AreHeldToTheReferenceToTheLastRow) {
  const std::int64_t size = (std::int64_t{1} << 17) + 1;
  expect_failure_at(judge_fault<CtcOperation>("loss-zero-from-b-131072", "loss", "B", size), "loss[131072]");
  expect_failure_at(judge_fault<CtcOperation>("gradient-zero-from-b-131072", "gradient", "B", size), "b=131072");
  expect_failure_at(judge_fault<CceOperation>("loss-zero-from-n-131072", "loss", "N", size), "loss[131072]");
  expect_failure_at(judge_fault<CtcOperation>("s-ignored-from-4096", "loss", "S", 4097), "loss[0]");
}

/// A kernel that has one variable of the gradient is judged at every length, whichever variable the case has.
TEST(FitToClaims, TakesTheVariableThatAKernelHas) {
  for (const char* const declined : {"gradient_of_logits", "gradient_of_log_probs"}) {
    StubKernel kernel([](const auto&, const auto&, int) {});
    kernel.claims().declined.insert(declined);
    for (const std::int64_t frames : {9L, 10L}) {
      CtcCase c = CtcOperation::needle("T", frames);
      fit_to_claims<CtcOperation>(kernel, c);
      EXPECT_EQ(CtcOperation::why_not(kernel, c), "") << declined << " of " << frames << " frames";
    }
  }
}

/// A kernel of one kind of input is judged at every size. Needle cases have logits.
TEST(FitToClaims, GivesAKernelOfLogProbsAloneTheLogProbs) {
  StubKernel kernel([](const auto&, const auto&, int) {});
  kernel.claims().declined = {"logits"};
  for (const auto& extent : CtcOperation::needle_extents) {
    CtcCase c = CtcOperation::needle(extent.name, 66);
    const CtcCase logits = c;
    fit_to_claims<CtcOperation>(kernel, c);
    EXPECT_EQ(CtcOperation::why_not(kernel, c), "") << extent.name;
    EXPECT_EQ(c.activations, to_log_probs(logits).activations) << extent.name;
    fit_to_claims<CtcOperation>(kernel, c);
    EXPECT_EQ(c.activations, to_log_probs(logits).activations) << "they are log_probs already";
  }
}

/// A plug-in without an upstream gradient or a bias has both the needle and the sharp cases.
TEST(FitToClaims, LeavesOutArraysThatAKernelDoesNotTake) {
  StubKernel kernel([](const auto&, const auto&, int) {});
  kernel.claims().declined = {"upstream"};
  for (auto& [name, c] : CtcOperation::sharp_cases()) {
    fit_to_claims<CtcOperation>(kernel, c);
    EXPECT_EQ(CtcOperation::why_not(kernel, c), "") << name;
  }
}

/// Arrays of more than 2^32 elements, of which the memory that nothing touches is not there.
TYPED_TEST(Needles, LieFarAway) {
  const auto cpu = TypeParam::shipped_kernel("cpu");
  for (const auto& property : TypeParam::properties()) {
    if (!property.is_far) continue;
    const auto report = report_on<TypeParam>(*cpu, property.name, 0, Reach::full);
    EXPECT_EQ(report.verdict, Verdict::pass) << failure_text(report);
    EXPECT_GE(report.reached.size(), 1U);
  }
}

}  // namespace
}  // namespace assay::validation
