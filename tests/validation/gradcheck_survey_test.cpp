// What a survey of many cases says and shows: the worst case, and the patterns of more than half of the wrong ones.
#include "validation/gradcheck/survey.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/matchers.h"

namespace assay::validation {
namespace {

/// A case with one wrong element, beyond its bound by `share`, that shows these patterns.
GradientJudgement wrong_case(double share, const std::vector<std::string>& patterns) {
  JudgedGradient gradient;
  gradient.name = "gradient";
  gradient.axes = {"k"};
  gradient.nouns = {"class"};
  gradient.sizes = {"C"};
  gradient.extents = {1};
  gradient.exact = {reference::BigFloat(1)};
  gradient.dtype = Dtype::float64;
  gradient.got = {1 + share};
  gradient.bound = {1};
  gradient.judge();
  GradientJudgement judgement;
  judgement.gradients.push_back(gradient);
  for (const std::string& key : patterns)
    judgement.patterns.push_back({key, key + " of " + std::to_string(static_cast<int>(share))});
  return judgement;
}

struct Wrong {
  double share;
  std::vector<std::string> patterns;
};

GradcheckRecord surveyed(const std::vector<Wrong>& cases) {
  GradcheckSurvey survey("test", 10);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string number = std::to_string(i);
    survey.add(wrong_case(cases[i].share, cases[i].patterns), "case " + number, "replay " + number);
  }
  return survey.conclude();
}

TEST(GradcheckSurvey, ShowsTheCaseThatItCallsTheWorst) {
  std::vector<Wrong> cases(40, {2, {"factor"}});
  for (const double worst : {8.0, HUGE_VAL, std::numeric_limits<double>::quiet_NaN()}) {
    cases[30].share = worst;
    const GradcheckRecord record = surveyed(cases);
    EXPECT_EQ(record.worst.place, "gradient[0] of case 30");
    EXPECT_EQ(record.origin, "case 30") << "also where many wrong cases came before";
    EXPECT_EQ(record.reproducer, "replay 30");
    ASSERT_EQ(record.worst_elements.size(), 1U);
    if (worst == 8) {
      EXPECT_EQ(record.worst_elements[0].share, record.worst.share);
    }
  }
}

TEST(GradcheckSurvey, CallsCommonWhatMoreThanHalfOfTheWrongCasesShow) {
  EXPECT_THAT(surveyed({{2, {"sign"}}, {3, {"factor"}}}).patterns, IsEmpty()) << "half is not most";
  EXPECT_THAT(surveyed({{2, {"sign", "factor"}}, {3, {"factor"}}, {4, {"zero", "factor"}}}).patterns,
              ElementsAre("factor of 4"))
      << "in the words of the case that is shown";
  EXPECT_THAT(surveyed({{2, {"sign"}}, {3, {"sign"}}, {4, {"zero"}}}).patterns,
              ElementsAre("sign of 2 (in 2 of 3 wrong cases looked at)"))
      << "also where the worst case shows something else";
}

}  // namespace
}  // namespace assay::validation
