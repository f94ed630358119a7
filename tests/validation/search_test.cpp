// The search for a counterexample: the same for the same seed, within its budget, and honest about what it found.
#include "validation/core/search.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/validation/ctc/kernels.h"
#include "tests/validation/typed_search.h"
#include "validation/core/kernel_unavailable.h"
#include "validation/core/text.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

const CtcCase& case_in(const std::optional<Counterexample>& found) {
  return found->problem.as<CtcCase>();
}

Finding pass_all(const CtcCase&) {
  return Finding::pass();
}

/// Fails on every case with three frames or more in all.
Finding fail_from_three_frames(const CtcCase& c) {
  std::int64_t frames = 0;
  for (const auto length : c.input_lengths) frames += length;
  return frames >= 3 ? Finding::fail("too many frames") : Finding::pass();
}

/// Every case that the search looks at, as text.
std::vector<std::string> cases_seen(std::uint64_t seed, Finding (*judge)(const CtcCase&)) {
  std::vector<std::string> seen;
  search<CtcOperation>({}, 50, seed, 100, [&](const CtcCase& c) {
    seen.push_back(to_text(c));
    return judge(c);
  });
  return seen;
}

TEST(Search, JudgesAsManyCasesAsAskedForWhereAllPass) {
  for (const int cases : {1, 7, 100}) {
    int judged = 0;
    const auto found = search<CtcOperation>({}, cases, 1, 100, [&](const CtcCase&) {
      ++judged;
      return Finding::pass();
    });
    EXPECT_FALSE(found.has_value());
    EXPECT_EQ(judged, cases);
  }
}

TEST(Search, PassesExceptionsOn) {
  int judged = 0;
  const auto throws = [&](const CtcCase&) -> Finding {
    ++judged;
    throw KernelUnavailable("no device");
  };
  EXPECT_THROW(search<CtcOperation>({}, 10, 1, 100, throws), KernelUnavailable);
  EXPECT_EQ(judged, 1);
}

TEST(Search, IsDeterminedByItsSeed) {
  EXPECT_EQ(cases_seen(1, pass_all), cases_seen(1, pass_all));
  EXPECT_NE(cases_seen(1, pass_all), cases_seen(2, pass_all));
  EXPECT_EQ(cases_seen(3, fail_from_three_frames), cases_seen(3, fail_from_three_frames));
}

TEST(Search, SeesDifferentCases) {
  const auto seen = cases_seen(1, pass_all);
  EXPECT_GT(std::set<std::string>(seen.begin(), seen.end()).size(), 45U);
}

TEST(Search, ShrinksToWhatStillFails) {
  const auto found = search<CtcOperation>({}, 100, 1, 2000, fail_from_three_frames);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->finding.verdict, Verdict::fail);
  EXPECT_EQ(found->finding.explanation, "too many frames");
  EXPECT_GT(found->shrinks, 0);
  EXPECT_TRUE(is_failure(fail_from_three_frames(case_in(found)).verdict));
  EXPECT_EQ(case_in(found).B, 1);
  EXPECT_EQ(case_in(found).T, 3);
  EXPECT_EQ(case_in(found).S, 0);
  EXPECT_EQ(case_in(found).C, 1);
  for (const float a : case_in(found).activations) EXPECT_EQ(a, 0);
}

TEST(Search, StopsAtTheFirstFailureWithoutABudget) {
  int judged = 0;
  int failed = 0;
  const auto found = search<CtcOperation>({}, 100, 1, 0, [&](const CtcCase& c) {
    ++judged;
    Finding finding = fail_from_three_frames(c);
    failed += is_failure(finding.verdict) ? 1 : 0;
    return finding;
  });
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(failed, 1);
  EXPECT_LT(judged, 100);
  EXPECT_EQ(found->shrinks, 0);
}

TEST(Search, KeepsToItsBudget) {
  for (const int budget : {1, 5, 30}) {
    int after_the_first = -1;
    const auto found = search<CtcOperation>({}, 100, 1, budget, [&](const CtcCase& c) {
      Finding finding = fail_from_three_frames(c);
      if (after_the_first >= 0 || is_failure(finding.verdict)) ++after_the_first;
      return finding;
    });
    ASSERT_TRUE(found.has_value());
    EXPECT_LE(after_the_first, budget);
    EXPECT_LE(found->shrinks, budget);
    EXPECT_TRUE(is_failure(fail_from_three_frames(case_in(found)).verdict));
  }
}

/// A refusal of a valid problem is a failure as well as a wrong number.
TEST(Search, TakesErrorsForFailuresAndSkipsForNone) {
  EXPECT_TRUE(search<CtcOperation>({}, 5, 1, 10, [](const CtcCase&) { return Finding::error("refused"); }).has_value());
  EXPECT_FALSE(
      search<CtcOperation>({}, 5, 1, 10, [](const CtcCase&) { return Finding::skip("no frames"); }).has_value());
  EXPECT_FALSE(
      search<CtcOperation>({}, 5, 1, 10, [](const CtcCase&) { return Finding::mistrust("uncertain"); }).has_value());
}

TEST(Search, KeepsToTheProfile) {
  search<CtcOperation>({.min_rows = 3, .log_probs = 0}, 60, 1, 0, [](const CtcCase& c) {
    EXPECT_GE(c.B, 3);
    EXPECT_EQ(c.input, CtcInput::logits);
    return Finding::pass();
  });
}

/// A search that meets `steps` steps after its one failing case: each counts in `made` that it is made, and fails not.
SearchSteps steps_that_lead_nowhere(int steps, int& made, std::chrono::milliseconds time) {
  return {.generate = [](Random&, int) { return AnyCase(three_of_four_paths()); },
          .shrinks =
              [=, &made](const AnyCase&) {
                return AnyShrinks(static_cast<std::size_t>(steps), [=, &made] {
                  ++made;
                  std::this_thread::sleep_for(time);
                  return AnyCase{};
                });
              },
          .judge = [](const AnyCase&) { return Finding::fail("always"); }};
}

Counterexample shrunk_by(const SearchSteps& steps) {
  return shrunk(steps, first_failure(steps, 1, 1).value(), 2000);
}

/// Making the cases of a large problem takes longer than judging them.
TEST(Shrinking, EndsInTimeWhileItMakesCases) {
  int made = 0;
  auto steps = steps_that_lead_nowhere(100'000, made, std::chrono::milliseconds(20));
  steps.seconds = 0.5;
  EXPECT_FALSE(shrunk_by(steps).interrupted);
  EXPECT_GT(made, 0);
  EXPECT_LE(made, 26);
}

TEST(Shrinking, AsksBeforeItMakesACaseWhetherToStop) {
  int made = 0;
  auto steps = steps_that_lead_nowhere(100'000, made, std::chrono::milliseconds(0));
  steps.stop = [&] { return made == 3; };
  const auto found = shrunk_by(steps);
  EXPECT_TRUE(found.interrupted);
  EXPECT_EQ(found.finding.verdict, Verdict::fail);
  EXPECT_EQ(made, 3);
}

/// Halves and the next smaller number of 1281 pass, so that steps of shrinking alone end there.
TEST(Shrinking, CutsToTheSmallestSizeThatFailsBeforeOtherSteps) {
  const auto fails = [](int n) { return n > 1 && n % 32 == 1; };
  SearchSteps steps = {
      .generate = [](Random&, int) { return AnyCase(1281); },
      .shrinks = [](const AnyCase& c) -> AnyShrinks {
        return {[c] { return AnyCase(c.as<int>() / 2); }, [c] { return AnyCase(c.as<int>() - 1); }};
      },
      .judge = [=](const AnyCase& c) { return fails(c.as<int>()) ? Finding::fail("") : Finding::pass(); }};
  EXPECT_EQ(shrunk_by(steps).problem.as<int>(), 1281);
  steps.cuts = [](const AnyCase& c, std::int64_t size) {
    return size < c.as<int>() ? AnyShrinks{[size] { return AnyCase(static_cast<int>(size)); }} : AnyShrinks{};
  };
  EXPECT_EQ(shrunk_by(steps).problem.as<int>(), 33);
  EXPECT_EQ(shrunk(steps, first_failure(steps, 1, 1).value(), 0).problem.as<int>(), 1281) << "without a budget";
}

/// An interruption ends a plug-in's process too, which is no fault of the plug-in.
TEST(Search, TakesNoFailureThatComesWithTheInterruption) {
  bool came = false;
  const auto judge = [&](const CtcCase&) {
    came = true;
    return Finding::error("the process was ended");
  };
  EXPECT_FALSE(search_from<CtcOperation>(three_of_four_paths(), 100, judge, [&] { return came; }).has_value());
  int judged = 0;
  const auto second = [&](const CtcCase&) { return Finding::fail(++judged == 1 ? "wrong" : "ended"); };
  const auto found = search_from<CtcOperation>(three_of_four_paths(), 100, second, [&] { return judged == 2; });
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->finding.explanation, "wrong");
  EXPECT_TRUE(found->interrupted);
}

TEST(SearchFrom, RemembersTheCaseAsFirstMet) {
  const CtcCase given = select_rows(three_of_four_paths(), {0, 0, 0});
  const auto found = search_from<CtcOperation>(given, 1000, [](const CtcCase& c) {
    return c.B > 1 ? Finding::fail(std::to_string(c.B) + " rows", {double(c.B), "loss[0]", 0.5}) : Finding::pass();
  });
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(case_in(found).B, 2);
  EXPECT_EQ(found->first.as<CtcCase>(), given);
  EXPECT_EQ(found->first_finding.explanation, "3 rows");
  EXPECT_EQ(found->first_finding.margin.share, 3);
  EXPECT_EQ(found->first_finding.margin.error, 0.5);
}

TEST(SearchFrom, JudgesTheGivenCaseOnce) {
  int judged = 0;
  const CtcCase given = three_of_four_paths();
  const auto found = search_from<CtcOperation>(given, 100, [&](const CtcCase& c) {
    EXPECT_EQ(c, given);
    ++judged;
    return Finding::pass();
  });
  EXPECT_FALSE(found.has_value());
  EXPECT_EQ(judged, 1);
}

TEST(SearchFrom, ShrinksTheGivenCase) {
  const CtcCase given = select_rows(three_of_four_paths(), {0, 0, 0});
  const auto whole = search_from<CtcOperation>(given, 0, fail_from_three_frames);
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(case_in(whole), given);
  EXPECT_EQ(whole->shrinks, 0);
  const auto shrunk = search_from<CtcOperation>(given, 1000, fail_from_three_frames);
  ASSERT_TRUE(shrunk.has_value());
  EXPECT_EQ(case_in(shrunk).B, 2) << "no row alone has three frames";
  EXPECT_GT(shrunk->shrinks, 0);
}

}  // namespace
}  // namespace assay::validation
