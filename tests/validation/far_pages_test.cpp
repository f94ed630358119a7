// Arrays past 2^32 elements keep what is written to their own parts, and need no memory for the rest.
#include "validation/core/far_floats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "validation/core/support.h"

namespace assay::validation {
namespace {

constexpr std::size_t many = (std::size_t{1} << 32) + 1000;
constexpr std::size_t page_elements = (std::size_t{1} << 21) / sizeof(float);

TEST(FarFloats, KeepsItsOwnParts) {
  constexpr std::size_t first = many / 2 - 7;
  const FarParts own{first, 500, many - 500 - first, 2};
  const FarFloats far(many, own);
  ASSERT_EQ(far.view().size(), many);
  for (std::size_t part = 0; part < own.count; ++part) {
    const auto elements = far.part(part);
    EXPECT_TRUE(std::ranges::all_of(elements, [](float x) { return std::isnan(x); }));
    std::iota(elements.begin(), elements.end(), 1.0F);
  }
  std::ranges::fill(far.view().subspan(first - 3 * page_elements, 3 * page_elements), 7.0F);
  std::ranges::fill(far.view().subspan(first + 500, 3 * page_elements), 7.0F);
  for (std::size_t part = 0; part < own.count; ++part)
    for (std::size_t i = 0; i < own.size; ++i)
      ASSERT_EQ(far.part(part)[i], static_cast<float>(1 + i)) << "part " << part << ", element " << i;
}

TEST(FarFloats, SharesThePagesOfTheRest) {
  const FarFloats far(many, {many - 500, 500});
  // Volatile, since the compiler takes different addresses for different memory.
  volatile float* const elements = far.view().data();
  constexpr std::size_t at = page_elements + 5;  // past what comes before the first whole page
  elements[at] = 3;
  const float near = elements[at + 4 * page_elements], distant = elements[at + (std::size_t{1} << 31)];
  EXPECT_EQ(near, 3);
  EXPECT_EQ(distant, 3);
}

TEST(FarFloats, MayBeSmall) {
  const FarFloats few(3, {0, 3});
  EXPECT_TRUE(std::isnan(few.view()[2]));
}

TEST(FarFloats, AreKnownByTheirAddressWhileTheyLive) {
  const float* address = nullptr;
  {
    const FarFloats far(many, {many - 500, 500});
    address = far.view().data();
    const auto found = far_array_at(address);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->bytes, many * sizeof(float));
    EXPECT_EQ(found->own.first, (many - 500) * sizeof(float));
    EXPECT_FALSE(far_array_at(address + 1).has_value());
  }
  EXPECT_FALSE(far_array_at(address).has_value());
}

TEST(FarFloatsDeathTest, LieBetweenPagesThatMayNotBeTouched) {
  const FarFloats far(many, {many - 500, 500});
  volatile float* const elements = far.view().data();
  EXPECT_DEATH(elements[many + 16] = 1, "");
  EXPECT_DEATH(elements[-(std::ptrdiff_t{1} << 11)] = 1, "");
}

TEST(FarFloats, AreRefusedWhereThereAreNoAddresses) {
  EXPECT_THROW(FarFloats(std::size_t{1} << 46, {0, 1}), Unsupported);
}

}  // namespace
}  // namespace assay::validation
