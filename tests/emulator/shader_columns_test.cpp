// Columns after macros and comments: those of the source.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "metal/emulator/compile/source_columns.h"
#include "metal/emulator/translate/lexer.h"

namespace assay::metal::emulator::test {
namespace {

using testing::HasSubstr;

/// The tokens of the preprocessed line with their columns; `source` is line 2 of a file. Other lines are named.
std::string columns(const std::string& source, const std::string& preprocessed) {
  const std::string file = "# 1 \"a.metal\"\n\n" + preprocessed + "\n", text = "\n" + source + "\n";
  const std::string result = with_columns_of_source(file, "a.metal", text);
  std::string found;
  for (const Token& token : lex(result)) {
    if (token.kind == TokenKind::end) break;
    EXPECT_EQ(token.place.file, "a.metal");
    const std::string line = token.place.line == 2 ? "" : std::to_string(token.place.line) + ":";
    found += fmt::format("{}{}@{}{}", found.empty() ? "" : " ", token.text, line, token.place.column);
  }
  return found;
}

TEST(Columns, AreThoseOfTheSourceAfterAMacro) {
  EXPECT_EQ(columns("x = LONG + y;", "x = (1 + 2) + y;"), "x@1 =@3 (@5 1@6 +@8 2@10 )@11 +@10 y@12 ;@13");
  EXPECT_EQ(columns("x = A_LONG_NAME + y;", "x = 1 + y;"), "x@1 =@3 1@5 +@17 y@19 ;@20");
  EXPECT_EQ(columns("  A = z;", "  value = z;"), "value@3 =@5 z@7 ;@8");
  EXPECT_EQ(columns("f(A, b, A, c);", "f(111, b, 111, c);"), "f@1 (@2 111@3 ,@4 b@6 ,@7 111@9 ,@10 c@12 )@13 ;@14");
}

TEST(Columns, AreThoseOfTheSourceAfterAComment) {
  EXPECT_EQ(columns("int /* of it */ a; // a;", "int a;"), "int@1 a@17 ;@18");
  EXPECT_EQ(columns("char c = '\"' /* it's */ ; A", "char c = '\"' ; 1"), "char@1 c@6 =@8 '\"'@10 ;@25 1@27");
  EXPECT_EQ(columns("n = 1'000'000 /* x */ + y;", "n = 1'000'000 + y;"), "n@1 =@3 1'000'000@5 +@23 y@25 ;@26");
}

TEST(Columns, AreThoseOfTheSourceAfterAMacroOfSeveralLines) {
  EXPECT_EQ(columns("x = F(1,\n  2) + y;\nz;", "x = (1 + 2) + y;\n\nz;"),
            "x@1 =@3 (@6 1@7 +@8 2@3:3 )@3:4 +@3:6 y@3:8 ;@3:9 z@4:1 ;@4:2");
  EXPECT_EQ(columns("x = F(1) + y;\n#if 0\nx = y;", "x = 10 + y;\n\n"), "x@1 =@3 10@5 +@10 y@12 ;@13");
}

TEST(Columns, StayWhereNothingIsKnown) {
  EXPECT_EQ(columns("ALL", "void f() { }"), "void@1 f@6 (@7 )@8 {@10 }@12");
  EXPECT_EQ(columns("x = A + \\", "x = 10 + y;"), "x@1 =@3 10@5 +@8 y@10 ;@11");
  EXPECT_EQ(columns("", "x = 1;"), "x@1 =@3 1@5 ;@6");
}

TEST(Columns, DoNotPartOperators) {
  const auto code = [](std::string text) {
    std::erase(text, ' ');
    return text;
  };
  for (const std::string line : {"a = B >> c && D;", "a += B ++ - c;"}) {
    const std::string after = std::string(line).replace(line.find('B'), 1, "bbbbbb");
    const std::string result = with_columns_of_source("# 1 \"a.metal\"\n" + after + "\n", "a.metal", line + "\n");
    for (const std::string part : {">>", "&&", "+=", "++"})
      EXPECT_EQ(result.find(part) == std::string::npos, line.find(part) == std::string::npos) << result;
    EXPECT_THAT(code(result), HasSubstr("\n#1\"a.metal\"\n")) << result;
  }
}

TEST(Columns, LeaveSystemHeadersAndDirectivesAlone) {
  const std::string text =
      "# 1 \"a.metal\"\n#pragma unroll\nx = 10;\n# 7 \"/system.h\" 3\nint a;\n# 3 \"<built-in>\"\nint b;\n";
  EXPECT_EQ(with_columns_of_source(text, "a.metal", "PRAGMA\nx = 10;\n"), text);
}

}  // namespace
}  // namespace assay::metal::emulator::test
