// Outputs that are guarded: every write beside them is seen, and every element that is left out, in each type.
#include "validation/core/guarded_output.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "metal/cpu/half.h"
#include "tests/matchers.h"

namespace assay::validation {
namespace {

template <class Real>
class GuardedOutputOf : public testing::Test {
 protected:
  Footprint footprint() {
    Footprint seen;
    output_.inspect(seen);
    return seen;
  }

  static Real number(double value) { return static_cast<Real>(value); }

  GuardedOutput<Real> output_{"x", 3};
};

using Reals = testing::Types<float, double, metal::Half, metal::BFloat16>;
TYPED_TEST_SUITE(GuardedOutputOf, Reals);

TYPED_TEST(GuardedOutputOf, IsPoisonedWithNan) {
  ASSERT_EQ(this->output_.view().size(), 3U);
  for (const auto& element : this->output_.view()) {
    EXPECT_TRUE(std::isnan(static_cast<double>(element)));
    EXPECT_TRUE(std::isnan(static_cast<double>(this->number(static_cast<double>(element) + 1))));
  }
}

TYPED_TEST(GuardedOutputOf, SeesWhatIsNotWritten) {
  EXPECT_THAT(this->footprint().unwritten,
              ElementsAre("x[0] was not written", "x[1] was not written", "x[2] was not written"));
  this->output_.view()[1] = this->number(0);
  this->output_.view()[2] = this->number(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(this->footprint().unwritten, ElementsAre("x[0] was not written")) << "a NaN is written, if it is";
  EXPECT_THAT(this->footprint().out_of_bounds_writes, IsEmpty());
}

TYPED_TEST(GuardedOutputOf, SeesWritesAsFarAsItsGuards) {
  auto* const begin = this->output_.view().data();
  begin[-1] = this->number(0);
  begin[-64] = this->number(std::numeric_limits<double>::quiet_NaN());
  begin[3] = this->number(1);
  begin[3 + 63] = this->number(-0.0);
  EXPECT_THAT(this->footprint().out_of_bounds_writes,
              testing::UnorderedElementsAre("wrote x[-1], before its beginning", "wrote x[-64], before its beginning",
                                            "wrote x[3], past its 3 elements", "wrote x[66], past its 3 elements"));
}

/// The half of a double that a float32 store would change.
TYPED_TEST(GuardedOutputOf, SeesAWriteOfSomeBytesOfAnElement) {
  auto* const bytes = reinterpret_cast<unsigned char*>(this->output_.view().data() + 3);
  bytes[sizeof(TypeParam) - 1] = static_cast<unsigned char>(bytes[sizeof(TypeParam) - 1] ^ 1U);
  EXPECT_THAT(this->footprint().out_of_bounds_writes, ElementsAre("wrote x[3], past its 3 elements"));
}

TYPED_TEST(GuardedOutputOf, TakesNoElementsAtAll) {
  GuardedOutput<TypeParam> none("none", 0);
  Footprint seen;
  none.inspect(seen);
  EXPECT_THAT(seen.unwritten, IsEmpty());
  EXPECT_THAT(seen.out_of_bounds_writes, IsEmpty());
  none.view().data()[0] = this->number(1);
  none.inspect(seen);
  EXPECT_THAT(seen.out_of_bounds_writes, ElementsAre("wrote none[0], past its 0 elements"));
}

}  // namespace
}  // namespace assay::validation
