// The catalogue of usual causes: of properties that there are, in lines that fit, the first that matches.
#include "validation/core/usual_cause.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/matchers.h"
#include "validation/core/report.h"
#include "validation/registry.h"

namespace assay::validation {
namespace {

template <class Operation>
bool has(const UsualCause& entry) {
  const auto& all = Operation::properties();
  return (entry.operation.empty() || entry.operation == Operation::name) &&
         std::any_of(all.begin(), all.end(), [&](const auto& property) { return property.name == entry.property; });
}

TEST(UsualCause, SpeaksOfPropertiesThatThereAreInLinesThatFit) {
  for (const UsualCause& entry : usual_causes()) {
    EXPECT_TRUE(has<CtcOperation>(entry) || has<CceOperation>(entry) || has<SvdOperation>(entry)) << entry.property;
    EXPECT_LE(entry.cause.size(), 96) << entry.cause;
  }
}

TEST(UsualCause, IsReachedByEachEntry) {
  for (const UsualCause& entry : usual_causes()) {
    const std::string line = "operation=" + (entry.operation.empty() ? "svd" : std::string(entry.operation)) + " T=2";
    EXPECT_EQ(usual_cause(entry.property, Verdict::fail, entry.pattern, line), entry.cause) << entry.property;
  }
}

TEST(UsualCause, DependsOnTheOperationAndTheExplanation) {
  EXPECT_THAT(usual_cause("loss", Verdict::fail, "  expected inf\n  got      1.38", "operation=ctc T=2"),
              HasSubstr("equal labels"));
  EXPECT_THAT(usual_cause("loss", Verdict::fail, "  expected 943.9\n  got      inf", "operation=ctc T=2"),
              HasSubstr("underflows"));
  EXPECT_THAT(usual_cause("loss", Verdict::fail, "  expected 1\n  got      2", "operation=ctc T=2"), IsEmpty());
  EXPECT_THAT(usual_cause("loss", Verdict::fail, "  expected inf\n  got      1.38", "operation=cce N=2"), IsEmpty());
  EXPECT_THAT(usual_cause("history", Verdict::fail, "  other bits than", "./assay gate ctc --kernel ./mine.so"),
              HasSubstr("a cache is keyed"));
  EXPECT_THAT(usual_cause("loss", Verdict::fail, "  got      inf", "./assay gate ctc --kernel ./mine.so"),
              HasSubstr("underflows"));
  EXPECT_THAT(usual_cause("loss", Verdict::fail, "  got      inf", "./assay gate cce --kernel ./mine.so"), IsEmpty());
  EXPECT_THAT(usual_cause("repeat", Verdict::fail, "  the kernel raised an error", "operation=ctc T=2"), IsEmpty())
      << "no race";
  EXPECT_THAT(usual_cause("batch-singles", Verdict::error, "  exception: gradient has 3 axes", "operation=ctc T=2"),
              IsEmpty());
  EXPECT_THAT(usual_cause("refusals", Verdict::error, "  blank=-1: expected a refusal", "operation=ctc T=2"),
              HasSubstr("before it is checked"));
  EXPECT_THAT(usual_cause("shift", Verdict::fail, "  expected 3\n  got      2", "operation=cce N=2"), IsEmpty())
      << "strides, or entries past V";
  EXPECT_THAT(usual_cause("shift", Verdict::fail, "  expected 3\n  got      nan", "operation=cce N=2"),
              HasSubstr("exponentials"));
  EXPECT_THAT(usual_cause("no-such-property", Verdict::fail, "", "operation=ctc T=2"), IsEmpty());
}

TEST(UsualCause, EndsTheTextOfAFailureWhereThereIsOne) {
  PropertySummary report;
  report.verdict = Verdict::fail;
  report.property = "loss";
  const auto text = [&](const std::string& explanation) {
    return detail::failure_text(report, "generated", "", explanation, "./assay replay 'operation=ctc T=2'", false);
  };
  EXPECT_THAT(text("expected inf"), HasSubstr("'operation=ctc T=2'\n  usual cause\n    paths are counted"));
  EXPECT_THAT(text("expected 1"), Not(HasSubstr("usual cause")));
}

}  // namespace
}  // namespace assay::validation
