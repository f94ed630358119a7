// Arrays past 2^32 elements keep what is written to their own parts, and need no memory for the rest.
#include "validation/core/far_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace assay::validation {
namespace {

constexpr std::size_t many = (std::size_t{1} << 32) + 1000;
constexpr std::size_t page_elements = (std::size_t{1} << 21) / sizeof(float);

TEST(FarFloats, KeepsItsOwnParts) {
  const FarPart own[] = {{many / 2 - 7, 20}, {many - 500, 500}};
  const FarFloats far(many, own);
  ASSERT_EQ(far.view().size(), many);
  for (const FarPart& part : own) {
    const auto elements = far.view().subspan(part.first, part.count);
    EXPECT_TRUE(std::ranges::all_of(elements, [](float x) { return std::isnan(x); }));
    std::iota(elements.begin(), elements.end(), 1.0F);
  }
  std::ranges::fill(far.view().subspan(many / 2 - 7 - 3 * page_elements, 3 * page_elements), 7.0F);
  std::ranges::fill(far.view().subspan(many / 2 + 13, 3 * page_elements), 7.0F);
  for (const FarPart& part : own)
    for (std::size_t i = 0; i < part.count; ++i)
      ASSERT_EQ(far.view()[part.first + i], static_cast<float>(1 + i)) << part.first << " + " << i;
}

TEST(FarFloats, SharesThePagesOfTheRest) {
  const FarPart last{many - 500, 500};
  const FarFloats far(many, std::span(&last, 1));
  // Volatile, since the compiler takes different addresses for different memory.
  volatile float* const elements = far.view().data();
  elements[5] = 3;
  const float near = elements[5 + 4 * page_elements], distant = elements[5 + (std::size_t{1} << 31)];
  EXPECT_EQ(near, 3);
  EXPECT_EQ(distant, 3);
}

TEST(FarFloats, MayBeSmall) {
  const FarPart all{0, 3};
  const FarFloats few(3, std::span(&all, 1));
  EXPECT_TRUE(std::isnan(few.view()[2]));
}

}  // namespace
}  // namespace assay::validation
