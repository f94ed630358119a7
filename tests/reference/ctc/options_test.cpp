// The options of CTC by name: all that its arrays do not imply, each as the member of its name.
#include "reference/ctc/options.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::reference {
namespace {

TEST(CtcOptions, AreVisitedInTheOrderOfTheProblem) {
  CtcProblem<float> problem;
  std::string names;
  visit_options(problem, [&](const std::string& name, auto&) { names += name + " "; });
  EXPECT_EQ(names, "blank reduction zero_infinity ");
}

TEST(CtcOptions, AreTheMembersOfTheirNames) {
  CtcProblem<float> problem;
  visit_options(problem, []<class Value>(const std::string& name, Value& value) {
    value = static_cast<Value>(name == "blank" ? 5 : 1);
  });
  EXPECT_EQ(problem.blank, 5);
  EXPECT_EQ(problem.reduction, Reduction::sum);
  EXPECT_TRUE(problem.zero_infinity);
}

}  // namespace
}  // namespace assay::reference
