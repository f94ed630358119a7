// Includes become one text: names relative to their file, #pragma once, circular includes, missing files.
#include "metal/device/shader_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

 private:
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

TEST_F(Includes, OfMetalsOwnAndOfWhatIsNotThereStay) {
  write("a.metal", "#include <metal_stdlib>\n#include \"absent.h\"\n");
  EXPECT_EQ(inlined("a.metal"),
            mark(1, "a.metal") + "#include <metal_stdlib>\n#include \"absent.h\"\n" + mark(3, "a.metal"));
}

TEST_F(Includes, NeedTheFileItself) {
  const Result<std::string> absent = text_with_includes("/absent/a.metal");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, Error::Kind::environment);
  EXPECT_THAT(absent.error().text, testing::HasSubstr("/absent/a.metal"));
}

}  // namespace
}  // namespace assay::metal::test
