// Sizes over the dimensions of a problem: what they are, and what is refused by name.
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "tests/matchers.h"
#include "validation/transport/declaration/expression.h"

namespace assay::validation::transport {
namespace {

constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
const MetalVariables sizes = {{"T", 7}, {"B", 3}, {"huge", 0x1p40}};

MetalExpression expression(const std::string& text) {
  return {"grid[0]", text, {"T", "B", "huge"}};
}

std::int64_t integer(const std::string& text) {
  return expression(text).integer(sizes, 0, any);
}

TEST(MetalExpression, HasTheArithmeticOfSizes) {
  EXPECT_EQ(integer("2 * T + 1"), 15);
  EXPECT_EQ(integer("ceil_div(T, 2) + floor(T / 2)"), 7);
  EXPECT_EQ(integer("round_up(T, 4)"), 8);
  EXPECT_EQ(integer("T > 4 && B == 3 ? max(T, B) : 0"), 7);
  EXPECT_EQ(integer("32"), 32);
  EXPECT_EQ(expression("2^-24").number(sizes), 0x1p-24);
}

TEST(MetalExpression, MayBeInfiniteWhereANumberIsStored) {
  EXPECT_EQ(expression("-1 / 0").extended_number(sizes), -std::numeric_limits<double>::infinity());
  EXPECT_THROW(expression("-1 / 0").number(sizes), std::runtime_error);
  EXPECT_THROW(expression("0 / 0").extended_number(sizes), std::runtime_error);
}

TEST(MetalExpression, IsEvaluatedAnew) {
  const MetalExpression twice = expression("2 * T");
  EXPECT_EQ(twice.integer({{"T", 1}}, 0, any), 2);
  EXPECT_EQ(twice.integer({{"T", 5}}, 0, any), 10);
}

TEST(MetalExpression, RefusesWhatIsNoSize) {
  const auto refusal = [](const char* text, const char* value) {
    EXPECT_THAT([text] { integer(text); },
                ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("grid[0]"), HasSubstr(text), HasSubstr(value),
                                                        HasSubstr("expected an integer from 0"))));
  };
  refusal("B - T", "is -4 at B=3, T=7");
  refusal("T / 2", "is 3.5 at T=7");
  refusal("T / (B - 3)", "is inf");
  refusal("huge * huge", "is 1.2089258196146292e+24");
  refusal("sqrt(B - T)", "nan");
}

TEST(MetalExpression, RefusesWhatIsNoExpression) {
  const auto refusal = [](const char* text) {
    EXPECT_THAT([text] { expression(text); },
                ThrowsMessage<std::invalid_argument>(
                    AllOf(HasSubstr("grid[0]"), HasSubstr(text), HasSubstr("expected an expression over T, B, huge"))));
  };
  refusal("2 * X");
  refusal("T +");
  refusal("T B");
  refusal("");
  refusal("exec(T)");
}

}  // namespace
}  // namespace assay::validation::transport
