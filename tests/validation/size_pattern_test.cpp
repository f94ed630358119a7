// The sizes at which a kernel fails, in words.
#include "validation/core/size_pattern.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "tests/matchers.h"
#include "tests/validation/counting_operation.h"

namespace assay::validation {
namespace {

std::string pattern(const std::function<bool(std::int64_t)>& fails) {
  std::map<std::int64_t, bool> all;
  for (std::int64_t size = 1; size <= 130; ++size) all[size] = fails(size);
  return pattern_of(all);
}

TEST(SizePattern, SaysWhichSizesPassOrFailInTheFewestWords) {
  EXPECT_EQ(pattern([](auto size) { return size % 64 != 0; }), "passes at multiples of 64; fails elsewhere");
  EXPECT_EQ(pattern([](auto size) { return size % 4 == 0; }), "fails at multiples of 4; passes elsewhere");
  EXPECT_EQ(pattern([](auto size) { return size > 32; }), "passes at 1 to 32; fails elsewhere");
  EXPECT_EQ(pattern([](auto size) { return size == 33 || size == 65; }), "fails at 33, 65; passes elsewhere");
  EXPECT_EQ(pattern([](auto size) { return size % 4 == 1 && size > 8; }), "fails at 31 of 130 sizes");
}

TEST(SizePattern, SaysNothingWhereAllSizesDoTheSame) {
  EXPECT_EQ(pattern([](auto) { return true; }), "");
  EXPECT_EQ(pattern([](auto) { return false; }), "");
}

/// What a gate says of a property of numbers that fails where `fails` holds.
Failure failure_where(const std::function<bool(std::uint64_t)>& fails) {
  using O = CountingOperation;
  const Property<O> property{"some", "", {}, [&](const Context<O>&, const O::Case& c) {
                               return fails(c.value) ? Finding::fail("wrong") : Finding::pass();
                             }};
  Coverage coverage;
  const CountingKernel kernel;
  return run_property(property, {kernel}, {.cases = 100, .given = {}}, coverage).failure.value();
}

TEST(SizePattern, IsARemarkOnAFailureThatDependsOnTheSize) {
  EXPECT_EQ(failure_where([](auto n) { return n % 64 != 0; }).remarks,
            "\n  sizes 9 to 130 of value, where the others are small: passes at multiples of 64; fails elsewhere");
  EXPECT_EQ(failure_where([](auto) { return true; }).remarks, "");
  EXPECT_EQ(failure_where([](auto n) { return n > 1000; }).remarks, "") << "no such size fails";
}

}  // namespace
}  // namespace assay::validation
