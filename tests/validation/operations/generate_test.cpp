// Generated cases: every one valid, every interesting class among them, and the same for the same seed.
#include <gtest/gtest.h>

#include "tests/validation/operations/operations.h"
#include "validation/core/coverage.h"

namespace assay::validation {
namespace {

template <class O>
class Generated : public testing::Test {};
TYPED_TEST_SUITE(Generated, Operations, OperationName);

TYPED_TEST(Generated, CasesAreValidAndOfTheirType) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    auto c = generated<TypeParam>(seed);
    EXPECT_NO_THROW(require_valid(c));
    round_to_dtype(c);
    EXPECT_EQ(c, generated<TypeParam>(seed));
    ASSERT_FALSE(this->HasFailure()) << "seed " << seed;
  }
}

/// A property's profile is its own; each of them must be met too.
TYPED_TEST(Generated, CasesAreValidForEveryProperty) {
  for (const auto& property : TypeParam::properties())
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      EXPECT_NO_THROW(require_valid(generated<TypeParam>(seed, property.profile)));
      ASSERT_FALSE(this->HasFailure()) << property.name << ", seed " << seed;
    }
}

TYPED_TEST(Generated, CasesMeetEveryClassOftenEnoughToMatter) {
  Coverage coverage(class_names<TypeParam>());
  for (std::uint64_t seed = 0; seed < 2000; ++seed) coverage.count(classes_of<TypeParam>(generated<TypeParam>(seed)));
  for (const auto& [name, count] : coverage.counts()) EXPECT_GE(count, 20) << name;
}

TYPED_TEST(Generated, CasesAreDeterminedByTheirSeed) {
  int different = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    different += generated<TypeParam>(seed) == generated<TypeParam>(seed + 101) ? 0 : 1;
  EXPECT_GT(different, 280);
}

}  // namespace
}  // namespace assay::validation
