// Digests of files: those that are published, and one for each thing that a kernel consists of.
#include "validation/core/fingerprint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "validation/core/sha256.h"

namespace assay::validation {
namespace {

namespace fs = std::filesystem;

/// The examples of FIPS 180-4, and lengths around those at which the padding takes another block.
TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

class Fingerprint : public testing::Test {
 protected:
  Fingerprint()
      : folder_(fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  std::string of(const std::string& name) const { return fingerprint_of(folder_ / name); }
  void write(const std::string& name, const std::string& bytes) const { std::ofstream(folder_ / name) << bytes; }

 private:
  fs::path folder_;
};

TEST_F(Fingerprint, IsOfTheBytes) {
  write("libmine.so", "abc");
  EXPECT_EQ(of("libmine.so"), sha256("abc"));
  EXPECT_EQ(of("cpu"), "") << "no file";
}

TEST_F(Fingerprint, ChangesWithEachFileThatIsNamed) {
  write("mine.json", R"({"source": "mine.metal", "grid": "N"})");
  write("mine.metal", "#include \"mine.h\"\nkernel void f() {}");
  write("mine.h", "#include \"mine.metal\"\n#define SCALE 1");
  const std::string first = of("mine.json");
  write("mine.h", "#include \"mine.metal\"\n#define SCALE 2");
  const std::string second = of("mine.json");
  EXPECT_NE(first, second);
  write("mine.metal", "#include \"mine.h\"\nkernel void g() {}");
  EXPECT_NE(of("mine.json"), second);
}

}  // namespace
}  // namespace assay::validation
