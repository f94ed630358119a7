// Tokens and their places, and edits that keep them.
#include <gtest/gtest.h>

#include "metal/emulator/translate/edits.h"
#include "metal/emulator/translate/lexer.h"
#include "metal/emulator/translate/source.h"

namespace assay::metal::emulator::test {
namespace {

std::vector<std::string> texts(std::string_view source) {
  std::vector<std::string> result;
  for (const Token& token : lex(source))
    if (token.kind != TokenKind::end) result.emplace_back(token.text);
  return result;
}

TEST(Lexer, SplitsAsMetalDoes) {
  EXPECT_EQ(texts("a>>b->c::d<<=e"),
            (std::vector<std::string>{"a", ">", ">", "b", "->", "c", "::", "d", "<<", "=", "e"}));
  EXPECT_EQ(texts("1.5h 0x1p-3f 1e+5 2.bf 1'000 .5"),
            (std::vector<std::string>{"1.5h", "0x1p-3f", "1e+5", "2.bf", "1'000", ".5"}));
  EXPECT_EQ(texts(R"("a\"b" 'c' u8"d" L'e')"), (std::vector<std::string>{R"("a\"b")", "'c'", "u8\"d\"", "L'e'"}));
}

TEST(Lexer, FollowsLineMarkersAndSkipsSystemHeaders) {
  const auto tokens = lex("# 10 \"a.metal\"\nx\n\n  y\n# 1 \"lib\" 1 3\nhidden\n# 20 \"b.metal\" 2\n#pragma unroll\nz");
  ASSERT_EQ(tokens.size(), 4U);
  EXPECT_EQ(to_string(tokens[0].place), "a.metal:10:1");
  EXPECT_EQ(to_string(tokens[1].place), "a.metal:12:3");
  EXPECT_EQ(tokens[2].text, "z");
  EXPECT_EQ(to_string(tokens[2].place), "b.metal:21:1");
}

TEST(Edits, LeaveTheOtherTokensInTheirPlaces) {
  const std::string text = "# 1 \"a.metal\"\none two three four\nfive\n";
  const auto tokens = lex(text);
  Edits edits(text, tokens);
  edits.erase(0, 1);
  edits.replace(1, 2, "longer than it");
  edits.insert(3, "before ");
  edits.replace(3, 5, "4 5");
  const std::string edited = edits.apply();
  const auto after = lex(edited);
  EXPECT_EQ(texts(edited), (std::vector<std::string>{"longer", "than", "it", "three", "before", "4", "5"}));
  EXPECT_EQ(to_string(after[3].place), to_string(tokens[2].place));
  EXPECT_EQ(edited.find("one"), std::string::npos);
}

TEST(Edits, KeepTheLinesAfterAnEditOfSeveral) {
  const std::string text = "# 1 \"a.metal\"\na b\nc d\ne\nf\n";
  const auto tokens = lex(text);
  Edits edits(text, tokens);
  edits.replace(1, 4, "something");
  const auto after = lex(edits.apply());
  EXPECT_EQ(edits.apply().find("c d"), std::string::npos);
  ASSERT_EQ(after.size(), 5U);
}

TEST(Source, FindsTheEndOfTypes) {
  const auto type = [](std::string_view text) {
    const Source source(text);
    return source.join(0, source.type_end(0, source.size()));
  };
  EXPECT_EQ(type("threadgroup vec<T, (N > 2)> x[3]"), "threadgroup vec<T, (N > 2)>");
  EXPECT_EQ(type("const unsigned long n"), "const unsigned long");
  EXPECT_EQ(type("metal::array<float, 4>::type a"), "metal::array<float, 4>::type");
  EXPECT_EQ(type("decltype(f<float>) f"), "decltype(f<float>)");
  EXPECT_EQ(type("struct S s"), "struct S");
  EXPECT_EQ(type("* p"), "");
}

TEST(Source, TellsTemplatesFromComparisons) {
  const Source source("template <int N, enable_if_t<sizeof(T) < 8, bool> = true> f");
  EXPECT_EQ(source[source.match_angle(1).value() + 1], "f");
  EXPECT_FALSE(Source("a < b;").match_angle(1).has_value());
}

TEST(Source, RefusesBracketsThatDoNotMatch) {
  EXPECT_THROW(Source("f(a]"), TranslationError);
  EXPECT_THROW(Source("{ (a)"), TranslationError);
  EXPECT_THROW(Source("}"), TranslationError);
}

}  // namespace
}  // namespace assay::metal::emulator::test
