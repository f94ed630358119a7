// The filter of properties: which names it takes, and which texts it refuses.
#include "validation/core/filter.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/matchers.h"
#include "tests/refusal.h"

namespace assay::validation {
namespace {

std::string refusal_of_filter(const std::string& text) {
  return refusal_of([&] { (void)Filter(text).matches(std::string(60, 'a')); });
}

TEST(AFilter, IsFoundInTheName) {
  EXPECT_TRUE(Filter("").matches("gradient"));
  EXPECT_TRUE(Filter("loss|grad").matches("gradient"));
  EXPECT_TRUE(Filter("^loss$|^gradient$").matches("loss"));
  EXPECT_FALSE(Filter("^grad$").matches("gradient"));
}

TEST(AFilter, ThatIsNoExpressionIsRefused) {
  EXPECT_THAT(refusal_of_filter("(a"), StartsWith("filter = '(a': expected a regular expression ("));
  EXPECT_THAT(refusal_of_filter("a{1000000}"), StartsWith("filter = 'a{1000000}': expected a regular expression ("));
}

TEST(AFilter, ThatIsLongIsRefused) {
  EXPECT_EQ(refusal_of_filter(std::string(1000, 'a')), "accepted");
  EXPECT_EQ(refusal_of_filter(std::string(500, '(') + std::string(500, ')')), "accepted");
  EXPECT_EQ(refusal_of_filter(std::string(100'000, '(')),
            "filter = '" + std::string(40, '(') +
                "...': expected a regular expression of at most 1000 characters, not 100000");
}

/// Each of these takes 2^60 steps if all ways through it are tried one by one.
TEST(AFilter, TakesNoExponentialTime) {
  for (const char* const text : {"(a*)*b", "(.*)*!", "((a|a)*)*!", "(\\w+)+$!"})
    EXPECT_EQ(refusal_of_filter(text), "accepted");
}

}  // namespace
}  // namespace assay::validation
