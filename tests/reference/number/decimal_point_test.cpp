// Numbers have '.' as their decimal point, also where the process's locale has another.
#include "reference/number/decimal_point.h"

#include <gtest/gtest.h>

#include <array>
#include <clocale>
#include <cstdio>
#include <string>

namespace assay::reference {
namespace {

/// Sets the locale of numbers back at the end of a test.
struct NumericLocale {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  const bool is_there;

  explicit NumericLocale(const char* name) : is_there(std::setlocale(LC_NUMERIC, name) != nullptr) {}
  NumericLocale(const NumericLocale&) = delete;
  NumericLocale& operator=(const NumericLocale&) = delete;
  ~NumericLocale() { std::setlocale(LC_NUMERIC, before.c_str()); }
};

std::string printed(double number) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.3f", number);
  return text.data();
}

TEST(DecimalPoint, StaysInTheLocaleC) {
  EXPECT_EQ(with_point("-1.25"), "-1.25");
  EXPECT_EQ(with_point("1,25"), "1,25");
  EXPECT_EQ(with_point("17"), "17");
  EXPECT_EQ(with_point("inf"), "inf");
}

TEST(DecimalPoint, TakesThePlaceOfAComma) {
  const NumericLocale german("de_DE.UTF-8");
  if (!german.is_there) GTEST_SKIP() << "the locale de_DE.UTF-8 is not installed";
  EXPECT_EQ(printed(-1.25), "-1,250");
  EXPECT_EQ(with_point(printed(-1.25)), "-1.250");
  EXPECT_EQ(with_point("17"), "17");
}

}  // namespace
}  // namespace assay::reference
