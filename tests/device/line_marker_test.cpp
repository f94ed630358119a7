// Line markers name any file: what is written is read again, as is what clang writes.
#include "metal/device/line_marker.h"

#include <gtest/gtest.h>

namespace assay::metal::test {
namespace {

TEST(LineMarker, NamesAnyFile) {
  for (const std::string file : {"a.metal", "a\"b", "\"", "a\\b", "a\\", "\\n", "a\nb\tc\x01", "\xC3\xA9 \\303"}) {
    const std::string text = "# 12 \"" + escaped_file(file) + "\" 1 3";
    EXPECT_EQ(text.find('\n'), std::string::npos);
    const auto marker = line_marker(text);
    ASSERT_TRUE(marker.has_value()) << text;
    EXPECT_EQ(marker->file(), file);
    EXPECT_EQ(marker->line, 12U);
    EXPECT_TRUE(marker->is_of_system_header());
  }
}

TEST(LineMarker, IsReadAsClangWritesIt) {
  EXPECT_EQ(line_marker("#line 3 \"/t/\\303\\251/a\\\"b\\nc\\t3\"\n").value().file(), "/t/\xC3\xA9/a\"b\nc\t3");
  EXPECT_FALSE(line_marker("# 1 \"a3.metal\" 2").value().is_of_system_header());
}

TEST(LineMarker, IsNoOtherLine) {
  for (const char* const line : {"", "#", "# ", "# x", "# 12", "# 12 ", "# 12 \"a", "# 12 \"a\\\"", "#pragma once",
                                 "# 99999999999999999999999 \"a\"", "x = \"# 1\";", "#line \"a\""})
    EXPECT_FALSE(line_marker(line).has_value()) << line;
}

}  // namespace
}  // namespace assay::metal::test
