// A kernel's digest changes with each file of which it consists.
#include "validation/core/fingerprint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace assay::validation {
namespace {

namespace fs = std::filesystem;

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
  write("another.so", "abc");
  const std::string first = of("libmine.so");
  EXPECT_EQ(first.size(), 36U);
  EXPECT_EQ(of("another.so"), first);
  write("libmine.so", "abd");
  EXPECT_NE(of("libmine.so"), first);
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
