// Text of any origin: what a report may hold stays, all else becomes '?', in every format.
#include "validation/core/printable.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <string>

#include "tests/hostile.h"
#include "tests/matchers.h"
#include "validation/core/json_text.h"

namespace assay::validation {
namespace {

TEST(Printable, LeavesTextOfAnyLanguageAlone) {
  for (const std::string text : {"", "loss[3] = 1.5e-7, 12 %\n\tnext", "Größe, 損失, потеря, \xF0\x9F\x98\x80, 1 ± 2"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ReplacesControlCharacters) {
  EXPECT_EQ(printable(std::string("a\0b\x1B[31mc\rd\x7F", 12)), "a?b?[31mc?d?");
  EXPECT_EQ(printable("a\xC2\x9B"
                      "b\xE2\x80\xAE"
                      "c\xE2\x80\xA8"
                      "d\xEF\xBF\xBF"),
            "a?b?c?d?");
}

TEST(Printable, ReplacesEachByteThatIsNoUtf8) {
  EXPECT_EQ(printable("\xFF"), "?");
  EXPECT_EQ(printable("caf\xE9!"), "caf?!");
  EXPECT_EQ(printable("\xC3"), "?") << "cut off";
  EXPECT_EQ(printable("\xC0\xAF"), "??") << "a slash in two bytes";
  EXPECT_EQ(printable("\xED\xA0\x80"), "???") << "a surrogate";
  EXPECT_EQ(printable("\xE0\x80\xAF\xF0\x80\x80\xAF"), "???????") << "more bytes than needed";
  EXPECT_EQ(printable("\xF4\x90\x80\x80\xF5"), "?????") << "past U+10FFFF";
}

TEST(Printable, IsTheSameTwice) {
  EXPECT_TRUE(is_clean(printable(hostile_text)));
  EXPECT_FALSE(is_clean(hostile_text));
}

/// GitHub's runner takes such lines for commands, behind all that is white space to it, and "##[" in any place; Azure's
/// and TeamCity have others.
TEST(Printable, HasNoCommandsForARunnerOfCi) {
  EXPECT_EQ(printable("::error::x\n  ::set-env name=A::b\n\n\t::c\na::b, std::max\n::"),
            ": :error::x\n  : :set-env name=A::b\n\n\t: :c\na::b, std::max\n: :");
  EXPECT_EQ(printable("\xC2\xA0::c\n\xE3\x80\x80 \xE2\x80\x83::d"), "\xC2\xA0: :c\n\xE3\x80\x80 \xE2\x80\x83: :d");
  EXPECT_EQ(printable("x ##[group] ###[a] ##vso[task] ##teamcity[b"),
            "x ## [group] ## #[a] ## vso[task] ## teamcity[b");
  EXPECT_EQ(printable("## [a] # b ##\n##"), "## [a] # b ##\n##");
}

TEST(PrintableLine, IsOneLine) {
  EXPECT_EQ(printable_line("a\nb\tc\xE9"), "a?b?c?");
}

TEST(JsonText, IsCleanInStringsAndNamesOfMembers) {
  nlohmann::ordered_json value = {{"plain", 1}, {"list", {hostile_text, 2.5, nullptr, {{hostile_text, hostile_text}}}}};
  const std::string text = json_text(value, 1);
  EXPECT_TRUE(is_clean(text));
  const auto read = nlohmann::ordered_json::parse(text);
  EXPECT_EQ(read["plain"], 1);
  EXPECT_EQ(read["list"][0], printable(hostile_text));
  EXPECT_EQ(read["list"][3].begin().key(), printable(hostile_text));
}

}  // namespace
}  // namespace assay::validation
