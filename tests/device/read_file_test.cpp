// Files are read whole, also those whose size is not known before; folders and absent files are refused by name.
#include "metal/device/read_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/matchers.h"

namespace assay::metal {
namespace {

class ReadFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "assay-read-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(ReadFile, GivesEveryByte) {
  const std::string text("one\0two\r\n\xff", 10);
  std::ofstream(folder_ / "file", std::ios::binary) << text;
  EXPECT_EQ(read_file(folder_ / "file").value(), text);
  std::ofstream(folder_ / "empty");
  EXPECT_EQ(read_file(folder_ / "empty").value(), "");
}

TEST_F(ReadFile, ReadsAPipeToItsEnd) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string text(100'000, 'x');
  std::thread writer([&] { std::ofstream(pipe) << text; });
  const auto read = read_file(pipe);
  writer.join();
  EXPECT_EQ(read.value(), text);
}

TEST_F(ReadFile, RefusesFoldersAndAbsentFilesByName) {
  EXPECT_THAT(read_file(folder_).error().text, HasSubstr("cannot read '" + folder_.string() + "': it is a folder"));
  EXPECT_THAT(read_file(folder_ / "none").error().text, HasSubstr("none': No such file"));
}

TEST_F(ReadFile, GivesATextWithoutItsByteOrderMark) {
  std::ofstream(folder_ / "file") << "\xEF\xBB\xBFtext \xEF\xBB\xBF";
  EXPECT_EQ(read_text(folder_ / "file").value(), "text \xEF\xBB\xBF");
}

TEST_F(ReadFile, RefusesATextInUtf16) {
  for (const std::string mark : {"\xFF\xFE", "\xFE\xFF"}) {
    std::ofstream(folder_ / "file") << mark << "k";
    EXPECT_THAT(read_text(folder_ / "file").error().text,
                HasSubstr("file': it is in UTF-16, expected a text in UTF-8"));
  }
}

TEST_F(ReadFile, EndsWhereATextHasNoEnd) {
  EXPECT_THAT(read_text("/dev/zero").error().text, HasSubstr("'/dev/zero': it has more than 64 MiB, expected a text"));
}

TEST_F(ReadFile, OpensNoPipeAndNoDeviceThatATextNames) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& name : {pipe, std::filesystem::path("/dev/zero")})
    EXPECT_THAT(read_named_text(name).error().text, HasSubstr(name.string() + "': it is no regular file"));
  EXPECT_THAT(read_named_text(folder_ / "none").error().text, HasSubstr("none': No such file"));
}

TEST_F(ReadFile, GivesLinesWithoutTheirEnds) {
  std::ofstream(folder_ / "file") << "first\n\nlast";
  EXPECT_THAT(read_named_lines(folder_ / "file").value(), ElementsAre("first", "", "last"));
}

}  // namespace
}  // namespace assay::metal
