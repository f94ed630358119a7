// The options of linear cross-entropy by name: all of them, each as the member of its name.
#include "reference/cce/options.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::reference {
namespace {

TEST(CceOptions, AreVisitedInTheOrderOfTheProblem) {
  CceProblem<float> problem;
  std::string names;
  visit_options(problem, [&](const std::string& name, auto&) { names += name + " "; });
  EXPECT_EQ(names, "ignore_index logit_softcap label_smoothing z_loss reduction ");
}

TEST(CceOptions, AreTheMembersOfTheirNames) {
  CceProblem<float> problem;
  visit_options(problem, []<class Value>(const std::string& name, Value& value) {
    value = static_cast<Value>(name == "reduction" ? 2 : name.size());
  });
  EXPECT_EQ(problem.ignore_index, 12);
  EXPECT_EQ(problem.logit_softcap, 13);
  EXPECT_EQ(problem.label_smoothing, 15);
  EXPECT_EQ(problem.z_loss, 6);
  EXPECT_EQ(problem.reduction, Reduction::mean);
}

}  // namespace
}  // namespace assay::reference
