// Cases as words: keys once each, numbers whole, lists without holes; what is wrong is said by its key.
#include "validation/core/words.h"
#include "tests/reference/expect.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/refusal.h"

namespace assay::validation {
namespace {

TEST(Words, AreTakenInAnyOrderAndAnySpacing) {
  EXPECT_EQ(parse_words("  b=2\ta=  c=x=y "), (Words{{"a", ""}, {"b", "2"}, {"c", "x=y"}}));
  EXPECT_EQ(parse_words(""), Words{});
  EXPECT_EQ(refusal_of([] { parse_words("a=1 b"); }), "'b': expected key=value");
  EXPECT_EQ(refusal_of([] { parse_words("a=1 b=2 a=1"); }), "'a' is given twice");
  EXPECT_EQ(refusal_of([] { parse_words(std::string("a=1\0", 4) + "2"); }),
            "byte 3 of the line is 0: expected a text of key=value");
}

TEST(Words, AreKnownOrRefused) {
  const Words known = {{"a", ""}, {"b", ""}};
  EXPECT_NO_THROW(require_known({{"a", "1"}}, known));
  EXPECT_EQ(refusal_of([&] { require_known({{"a", "1"}, {"c", ""}}, known); }), "'c=' is not part of a case");
  EXPECT_EQ(word({{"a", "1"}}, "a"), "1");
  EXPECT_EQ(refusal_of([] { word({{"a", "1"}}, "b"); }), "'b=' is missing from the case");
}

TEST(Words, AreNumbersWhole) {
  const Words words = {{"a", "-7"}, {"b", "0.1"}, {"c", "7x"}, {"d", ""}, {"e", "1e39"}, {"f", "-inf"}, {"g", "+1"}};
  EXPECT_EQ(parse_word<std::int64_t>(words, "a"), -7);
  EXPECT_EQ(parse_word<double>(words, "b"), 0.1);
  EXPECT_EQ(parse_word<float>(words, "b"), 0.1F);
  EXPECT_EQ(parse_word<float>(words, "f"), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(refusal_of([&] { parse_word<std::int64_t>(words, "b"); }), "b=0.1: expected a number");
  EXPECT_EQ(refusal_of([&] { parse_word<std::int64_t>(words, "c"); }), "c=7x: expected a number");
  EXPECT_EQ(refusal_of([&] { parse_word<double>(words, "d"); }), "d=: expected a number");
  EXPECT_EQ(refusal_of([&] { parse_word<float>(words, "e"); }), "e=1e39: expected a number");
  EXPECT_EQ(refusal_of([&] { parse_word<double>(words, "g"); }), "g=+1: expected a number");
  EXPECT_EQ(refusal_of([&] { parse_word<double>(words, "h"); }), "'h=' is missing from the case");
}

TEST(Words, AreListsWithoutHoles) {
  const auto list = [](const std::string& text) { return parse_list<std::int64_t>({{"a", text}}, "a"); };
  EXPECT_EQ(list(""), std::vector<std::int64_t>{});
  EXPECT_EQ(list("3"), std::vector<std::int64_t>{3});
  EXPECT_EQ(list("3,-1,0"), (std::vector<std::int64_t>{3, -1, 0}));
  for (const std::string bad : {",", "3,", ",3", "3,,1"})
    EXPECT_EQ(refusal_of([&] { list(bad); }), "a=: expected a number") << bad;
}

enum class Colour { red, green };

TEST(Words, AreEnumeratorsByName) {
  const std::vector<std::string> names = {"red", "green"};
  EXPECT_EQ(parse_enum<Colour>({{"a", "green"}}, "a", names), Colour::green);
  EXPECT_EQ(enum_name(Colour::green, names), "green");
  EXPECT_EQ(refusal_of([&] { parse_enum<Colour>({{"a", "Red"}}, "a", names); }), "a=Red: expected one of red, green");
}

}  // namespace
}  // namespace assay::validation
