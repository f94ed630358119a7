// Includes become one text: names relative to their file, #pragma once, circular includes, missing files.
#include "metal/device/shader_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace assay::metal::test {
namespace {

namespace fs = std::filesystem;

class Includes : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_ / "more"); }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  std::string mark(int line, const std::string& name) const {
    return "#line " + std::to_string(line) + " \"" + (folder_ / name).string() + "\"\n";
  }
  std::string inlined(const std::string& name) const { return text_with_includes(folder_ / name).value(); }

  fs::path folder_ = fs::path(testing::TempDir()) /
                     ("assay_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(Includes, AreRelativeToTheirFileAndKeepPositions) {
  write("a.metal", "first\n  #include \"more/b.h\" // why\nlast\n");
  write("more/b.h", "b\n# include \"c.h\"\n");
  write("more/c.h", "c\n");
  EXPECT_EQ(inlined("a.metal"), mark(1, "a.metal") + "first\n" + mark(1, "more/b.h") + "b\n" + mark(1, "more/c.h") +
                                    "c\n" + mark(3, "more/b.h") + mark(3, "a.metal") + "last\n");
}

TEST_F(Includes, ComeOnceByPragmaAndElseEachTime) {
  write("a.metal", "#include \"once.h\"\n#include \"more/../once.h\"\n#include \"twice.h\"\n#include \"twice.h\"\n");
  write("once.h", "#pragma once\nonly\n");
  write("twice.h", "again\n");
  EXPECT_EQ(inlined("a.metal"), mark(1, "a.metal") + mark(1, "once.h") + "\nonly\n" + mark(2, "a.metal") +
                                    mark(3, "a.metal") + mark(1, "twice.h") + "again\n" + mark(4, "a.metal") +
                                    mark(1, "twice.h") + "again\n" + mark(5, "a.metal"));
}

TEST_F(Includes, OfThemselvesEnd) {
  write("a.metal", "#include \"b.h\"\na\n");
  write("b.h", "#include \"a.metal\"\nb\n");
  EXPECT_EQ(inlined("a.metal"),
            mark(1, "a.metal") + mark(1, "b.h") + mark(2, "b.h") + "b\n" + mark(2, "a.metal") + "a\n");
}

TEST_F(Includes, MayHaveMarksAndLineEndsOfWindows) {
  write("a.metal", "\xEF\xBB\xBF#include \"b.h\"\r\nlast\r\n");
  write("b.h", "\xEF\xBB\xBF#pragma once\r\nb\r\n");
  EXPECT_EQ(inlined("a.metal"), mark(1, "a.metal") + mark(1, "b.h") + "\nb\r\n" + mark(2, "a.metal") + "last\r\n");
}

TEST_F(Includes, MayStandBesideLinesOfAnyLength) {
  const std::string blanks(10'000'000, ' '), letters(10'000'000, 'x');
  write("b.h", "b\n");
  write("a.metal", "#include" + blanks + "\"b.h\" //" + letters + "\n#pragma" + blanks + "once " + letters +
                       "\n#include \"" + letters + "\n" + letters);
  EXPECT_EQ(inlined("a.metal"), mark(1, "a.metal") + mark(1, "b.h") + "b\n" + mark(2, "a.metal") + "\n#include \"" +
                                    letters + "\n" + letters + "\n");
}

/// Each file includes the next one twice: 2^12 times 100 kB.
TEST_F(Includes, ThatMakeAnEndlessTextAreRefused) {
  for (int n = 0; n < 12; ++n) {
    const std::string next = "#include \"" + std::to_string(n + 1) + ".h\"\n";
    write(std::to_string(n) + ".h", next + next);
  }
  write("12.h", std::string(100'000, ' '));
  const auto text = text_with_includes(folder_ / "0.h");
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().text, testing::HasSubstr("0.h: with the files that it includes it has more than 64 MiB"));
}

TEST_F(Includes, OfAPipeStay) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  write("a.metal", "#include \"pipe\"\n#include \"/dev/zero\"\n");
  EXPECT_EQ(inlined("a.metal"), mark(1, "a.metal") + "#include \"pipe\"\n" + mark(2, "a.metal") +
                                    "#include \"/dev/zero\"\n" + mark(3, "a.metal"));
}

TEST_F(Includes, OfMetalsOwnAndOfWhatIsNotThereStay) {
  write("a.metal", "#include <metal_stdlib>\n#include \"absent.h\"\n");
  EXPECT_EQ(inlined("a.metal"),
            mark(1, "a.metal") + "#include <metal_stdlib>\n#include \"absent.h\"\n" + mark(3, "a.metal"));
}

TEST_F(Includes, OfNamesThatNoFileCanHaveStay) {
  const std::string include = "#include \"" + std::string(10'000, 'n') + "\"\n";
  fs::create_symlink("loop.h", folder_ / "loop.h");
  write("a.metal", include + "#include \"loop.h\"\n");
  EXPECT_EQ(inlined("a.metal"),
            mark(1, "a.metal") + include + mark(2, "a.metal") + "#include \"loop.h\"\n" + mark(3, "a.metal"));
}

TEST_F(Includes, NeedTheFileItself) {
  const Result<std::string> absent = text_with_includes("/absent/a.metal");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, Error::Kind::environment);
  EXPECT_THAT(absent.error().text, testing::HasSubstr("/absent/a.metal"));
}

}  // namespace
}  // namespace assay::metal::test
