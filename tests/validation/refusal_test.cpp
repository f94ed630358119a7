// Refusals of bad arguments: all that are missing are told at once.
#include "validation/core/refusal.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "tests/matchers.h"
#include "validation/core/support.h"

namespace assay::validation {
namespace {

BasicRun refused(const std::string& message) {
  BasicRun run;
  run.refused = true;
  run.message = message;
  return run;
}

TEST(Refusal, NamesOneOfTheArguments) {
  EXPECT_EQ(judge_refusal(refused("M = 7: expected 3"), "a large M", "M|A").verdict, Verdict::pass);
  EXPECT_EQ(judge_refusal(refused("A has 7 elements"), "a large M", "M|A").verdict, Verdict::pass);
  EXPECT_EQ(judge_refusal(refused("A has 7 elements"), "a large M", "N|M").verdict, Verdict::error);
  EXPECT_EQ(judge_refusal(refused("M is 7"), "a large M", "M").verdict, Verdict::pass);
  EXPECT_THAT(judge_refusal(refused("no"), "a large M", "M|A").explanation, HasSubstr("does not name 'M' or 'A': no"));
}

TEST(Refusal, IsNoResultAndWritesNothing) {
  EXPECT_EQ(judge_refusal({}, "a large M", "M").verdict, Verdict::error);
  BasicRun writes = refused("M is 7");
  writes.out_of_bounds_writes = {"wrote S[3]"};
  EXPECT_EQ(judge_refusal(writes, "a large M", "M").verdict, Verdict::fail);
}

struct OneNumber {
  int value = 0;
};
struct NoOptions {};
/// Refuses 1 by name, and takes 2; 3 is too much for it.
struct Lenient {
  struct Info {
    Support support = {};
  };
  Info description = {};

  const Info& info() const { return description; }
};

BasicRun run_kernel(const Lenient& /*kernel*/, const OneNumber& c, const NoOptions& /*options*/) {
  if (c.value == 3) throw std::runtime_error("out of memory");
  return c.value == 1 ? refused("value = 1") : BasicRun();
}

const BadArgument<OneNumber, NoOptions> one = {"a one", "value", [](OneNumber& c, NoOptions&) { c.value = 1; }};
const BadArgument<OneNumber, NoOptions> two = {"a two", "value", [](OneNumber& c, NoOptions&) { c.value = 2; }};
const BadArgument<OneNumber, NoOptions> three = {"a three", "value", [](OneNumber& c, NoOptions&) { c.value = 3; }};

Finding judged(const std::vector<BadArgument<OneNumber, NoOptions>>& bad, const Lenient& kernel = {}) {
  return judge_refusals(kernel, OneNumber(), std::span<const BadArgument<OneNumber, NoOptions>>(bad));
}

/// A bad argument that a function in this process takes may destroy the process: the first one is enough.
TEST(Refusals, EndAtTheFirstFailureOfAKernelWithoutIsolation) {
  Lenient here;
  here.description.support.is_isolated = false;
  const std::string told = judged({two, one, three}, here).explanation;
  EXPECT_THAT(told, HasSubstr("a two"));
  EXPECT_THAT(told, testing::Not(HasSubstr("a three")));
}

TEST(Refusals, AreAllToldThatAreMissing) {
  EXPECT_EQ(judged({one}).verdict, Verdict::pass);
  const Finding finding = judged({three, one, two});
  EXPECT_EQ(finding.verdict, Verdict::error);
  EXPECT_THAT(finding.explanation,
              AllOf(HasSubstr("a three: expected a refusal, got: out of memory"),
                    HasSubstr("\n  a two: expected a refusal, got results"), Not(HasSubstr("a one"))));
}

}  // namespace
}  // namespace assay::validation
