// A case that owns its data: its statement is what it holds, and it equals another case where every bit of every field
// does.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/validation/operations/operations.h"

namespace assay::validation {
namespace {

template <class O>
class CaseOf : public testing::Test {
 public:
  using Case = typename O::Case;

  static void expect_to_differ(const Case& c, const Case& d, const std::string& what) {
    EXPECT_FALSE(c == d) << what;
    EXPECT_FALSE(d == c) << what;
  }
};
TYPED_TEST_SUITE(CaseOf, Operations, OperationName);

TYPED_TEST(CaseOf, IsStatedAsItIs) {
  const auto c = with_every_array<TypeParam>();
  const auto statement = statement_of(c);
  for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsScalar<Row>) {
      EXPECT_EQ(statement.*row.in_statement, c.*row.in_case) << row.name;
    } else if constexpr (IsArray<Row> && !is_of_dtype<Row>) {
      EXPECT_EQ((statement.*row.in_problem).data(), (c.*row.in_case).data()) << row.name;
      EXPECT_EQ((statement.*row.in_problem).size(), (c.*row.in_case).size()) << row.name;
    }
  });
}

TYPED_TEST(CaseOf, EqualsItselfThoughItHoldsNan) {
  EXPECT_TRUE(typename TypeParam::Case() == typename TypeParam::Case());
  auto c = with_every_array<TypeParam>();
  for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row> && is_of_dtype<Row>)
      (c.*row.in_case)[0] = std::numeric_limits<typename TypeParam::Image>::quiet_NaN();
  });
  const auto copy = c;
  EXPECT_TRUE(c == copy);
}

TYPED_TEST(CaseOf, DiffersByEachFieldAndEachBitOfItsArrays) {
  const auto c = with_every_array<TypeParam>();
  for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
    auto d = c;
    if constexpr (IsArray<Row>) {
      using Element = typename std::remove_cvref_t<decltype(c.*row.in_case)>::value_type;
      for (std::size_t i = 0; i < (c.*row.in_case).size(); ++i) {
        auto e = c, f = c;
        (e.*row.in_case)[i] += 1;
        this->expect_to_differ(c, e, row.name);
        if constexpr (!std::is_integral_v<Element>) {
          (e.*row.in_case)[i] = 0;
          (f.*row.in_case)[i] = -Element{0};
          this->expect_to_differ(e, f, std::string(row.name) + ": the sign of a zero");
          (e.*row.in_case)[i] = std::numeric_limits<Element>::quiet_NaN();
          (f.*row.in_case)[i] = -std::numeric_limits<Element>::quiet_NaN();
          this->expect_to_differ(e, f, std::string(row.name) + ": another NaN");
        }
      }
      (d.*row.in_case).pop_back();
      this->expect_to_differ(c, d, std::string(row.name) + ": an element fewer");
    } else if constexpr (IsScalar<Row> || IsDtype<Row>) {
      using Value = std::remove_cvref_t<decltype(c.*row.in_case)>;
      d.*row.in_case = static_cast<Value>(static_cast<int>(c.*row.in_case) + 1);
      if constexpr (std::is_same_v<Value, bool>) d.*row.in_case = !(c.*row.in_case);
      this->expect_to_differ(c, d, row.name);
    }
  });
}

}  // namespace
}  // namespace assay::validation
