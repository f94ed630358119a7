// Given cases at the sizes people train with: valid, alignable, and as large as they say.
#include "validation/ctc/operation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace assay::validation {
namespace {

TEST(SizedCase, IsOfItsSize) {
  const CtcCase c = CtcOperation::sized_case(9, 5, 4, 50, 1);
  EXPECT_EQ(c.T, 9);
  EXPECT_EQ(c.B, 1);
  EXPECT_EQ(c.C, 5);
  EXPECT_EQ(c.S, 4);
  EXPECT_EQ(c.activations.size(), 45U);
  EXPECT_EQ(c.blank, 0);
  EXPECT_EQ(c.input, CtcInput::logits);
}

TEST(SizedCase, IsDeterminedByItsSeed) {
  EXPECT_EQ(CtcOperation::sized_case(9, 5, 4, 2, 1), CtcOperation::sized_case(9, 5, 4, 2, 1));
  EXPECT_FALSE(CtcOperation::sized_case(9, 5, 4, 2, 1) == CtcOperation::sized_case(9, 5, 4, 2, 2));
}

TEST(SizedCase, HasLogitsOfItsScale) {
  const CtcCase c = CtcOperation::sized_case(100, 100, 1, 50, 1);
  double squares = 0;
  for (const float a : c.activations) squares += double{a} * double{a};
  EXPECT_NEAR(std::sqrt(squares / 1e4), 50, 1);
}

TEST(SizedCases, AreValidAlignableAndOnlyForTheReference) {
  std::set<std::string> names;
  std::int64_t max_frames = 0;
  std::int64_t max_classes = 0;
  for (const auto& given : CtcOperation::sized_cases()) {
    const auto& c = given.problem.as<CtcCase>();
    EXPECT_TRUE(names.insert(given.name).second) << given.name;
    EXPECT_TRUE(given.reference_only) << given.name;
    EXPECT_NO_THROW(require_valid(c)) << given.name;
    const auto labels = c.labels(0);
    std::int64_t needed = c.S;
    for (std::size_t s = 1; s < labels.size(); ++s) needed += labels[s] == labels[s - 1] ? 1 : 0;
    EXPECT_GE(c.T, needed) << given.name << " proves nothing";
    max_frames = std::max(max_frames, c.T);
    max_classes = std::max(max_classes, c.C);
  }
  EXPECT_GE(max_frames, 2000);
  EXPECT_GE(max_classes, 5000);
}

}  // namespace
}  // namespace assay::validation
