// The catalogue of usual causes: of properties that there are, in lines that fit, the first that matches.
#include "validation/core/usual_cause.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/matchers.h"
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

Clue number(double expected, double got) {
  return Clue::number(expected, got);
}

TEST(UsualCause, IsReachedByEachEntry) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Clue> clues = {{},           {Clue::Kind::other_bits}, number(nan, 1), number(inf, 1),
                                   number(1, 0), number(1, nan),           number(1, inf), number(1, -inf)};
  for (const UsualCause& entry : usual_causes())
    EXPECT_TRUE(std::ranges::any_of(
        clues, [&](const Clue& clue) { return usual_cause(entry.property, entry.operation, clue) == entry.cause; }))
        << entry.property << ": " << entry.cause;
}

TEST(UsualCause, DependsOnTheOperationAndTheClue) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(usual_cause("loss", "ctc", number(inf, 1.38)), HasSubstr("equal labels"));
  EXPECT_THAT(usual_cause("loss", "ctc", number(943.9, inf)), HasSubstr("underflows"));
  EXPECT_THAT(usual_cause("loss", "ctc", number(1, 2)), IsEmpty());
  EXPECT_THAT(usual_cause("gradient", "ctc", number(0.5, 0.667)), HasSubstr("that a later block computes"));
  EXPECT_THAT(usual_cause("loss", "cce", number(inf, 1.38)), IsEmpty());
  EXPECT_THAT(usual_cause("history", "ctc", {Clue::Kind::other_bits}), HasSubstr("a cache is keyed"));
  EXPECT_THAT(usual_cause("repeat", "ctc", number(1, 2)), IsEmpty()) << "no race";
  EXPECT_THAT(usual_cause("refusals", "ctc", {}), HasSubstr("before it is checked"));
  EXPECT_THAT(usual_cause("shift", "cce", number(3, 2)), IsEmpty()) << "strides, or entries past V";
  EXPECT_THAT(usual_cause("shift", "cce", number(3, nan)), HasSubstr("exponentials"));
  EXPECT_THAT(usual_cause("shift", "cce", number(nan, 3)), IsEmpty()) << "the results are no better without an offset";
  EXPECT_THAT(usual_cause("orthonormal-u", "svd", number(1, 0.999)), IsEmpty()) << "rotations that change lengths";
  EXPECT_THAT(usual_cause("no-such-property", "ctc", {}), IsEmpty());
}

TEST(UsualCause, IsNotGuessedWhereTheKernelSaysItsOwn) {
  for (const char* property : {"refusals", "inside", "outside", "batch-singles", "padding"})
    EXPECT_THAT(usual_cause(property, "ctc", {Clue::Kind::exception}), IsEmpty()) << property;
  EXPECT_THAT(usual_cause("padding", "ctc", {Clue::Kind::death}), IsEmpty());
  EXPECT_THAT(usual_cause("outside", "ctc", {Clue::Kind::death}), HasSubstr("row's own length"));
}

}  // namespace
}  // namespace assay::validation
