// The file that allows what is found in shaders that one does not change.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/matchers.h"
#include "tests/refusal.h"
#include "validation/shader/allow.h"
#include "validation/shader/check.h"

namespace assay::validation {
namespace {

/// The path of a file of this test.
std::filesystem::path file(const std::string& name) {
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  return std::filesystem::path(testing::TempDir()) / ("shader_suppressions_" + test + "_" + name);
}

std::filesystem::path written(const std::string& text) {
  std::ofstream(file("list.txt")) << text;
  return file("list.txt");
}

TEST(Suppressions, AllowACheckAtAFileAndALine) {
  const Suppressions list(
      written("# of others\n\nracecheck kernels/sort.metal:12 - all write 1\r\n"
              "lint  ./a b.metal:3  -  a path with a blank\n"));
  EXPECT_EQ(list.reason("racecheck", {"kernels/sort.metal", 12, 5}), "all write 1");
  EXPECT_EQ(list.reason("racecheck", {"/their/kernels/../kernels/sort.metal", 12, 1}), "all write 1");
  EXPECT_EQ(list.reason("lint", {"a b.metal", 3, 1}), "a path with a blank");
  EXPECT_FALSE(list.reason("racecheck", {"kernels/sort.metal", 13, 5}));
  EXPECT_FALSE(list.reason("memcheck", {"kernels/sort.metal", 12, 5}));
  EXPECT_FALSE(list.reason("racecheck", {"sort.metal", 12, 5}));
  EXPECT_FALSE(list.reason("racecheck", {"otherkernels/sort.metal", 12, 5}));
  EXPECT_FALSE(Suppressions().reason("racecheck", {"kernels/sort.metal", 12, 5}));
}

TEST(Suppressions, MayHaveLinesOfAnyLength) {
  const std::string letters(10'000'000, 'x'), blanks(10'000'000, ' '), colons(1'000'000, ':');
  const Suppressions list(written("\xEF\xBB\xBF#" + letters + "\n" + blanks + "\nlint" + blanks + "a.metal:3 -" +
                                  blanks + letters + "\nracecheck b" + colons + ":4 - why\n"));
  EXPECT_EQ(list.reason("lint", {"a.metal", 3, 1}), letters);
  EXPECT_EQ(list.reason("racecheck", {"b" + colons, 4, 1}), "why");
  const std::string refusal = refusal_of([&] { (void)Suppressions(written(letters)); });
  EXPECT_THAT(refusal, HasSubstr("list.txt:1: expected 'CHECK FILE:LINE - REASON'"));
  EXPECT_LT(refusal.size(), 1000U);
}

TEST(Suppressions, AreNoFolder) {
  EXPECT_THAT(refusal_of([] { (void)Suppressions(testing::TempDir()); }), HasSubstr("it is a folder"));
}

TEST(Comments, AllowInLinesOfAnyLength) {
  const std::string blanks(1'000'000, ' '), slashes(1'000'000, '/'), letters(10'000'000, 'x');
  std::ofstream(file("k.metal")) << "// " << letters << "\nint b;" << blanks << slashes << blanks
                                 << "// assay: allow racecheck - " << letters << "\n";
  std::ofstream(file("wrong.metal")) << "int b;\n// assay: allow racecheck " << letters;
  Allowances allowances;
  EXPECT_EQ(allowances.find("racecheck", {{file("k.metal"), 2, 1}})->reason, letters);
  EXPECT_THAT(refusal_of([&] { (void)allowances.find("lint", {{file("wrong.metal"), 1, 1}}); }),
              HasSubstr("wrong.metal:2: expected '// assay: allow CHECK - REASON'"));
}

TEST(Comments, MayHaveMarksAndLineEndsOfWindows) {
  std::ofstream(file("k.metal")) << "\xEF\xBB\xBF// assay: allow lint - marked\r\nint a;\r\n"
                                    "int b;  // assay: allow racecheck - ended\r\n";
  Allowances allowances;
  EXPECT_EQ(allowances.find("lint", {{file("k.metal"), 2, 1}})->reason, "marked");
  EXPECT_EQ(allowances.find("racecheck", {{file("k.metal"), 3, 1}})->reason, "ended");
}

TEST(Suppressions, RefuseALineOfAnotherForm) {
  for (const char* const line :
       {"racecheck k.metal - no line", "racecheck k.metal:12", "racecheck k.metal:12 - ", "speed k.metal:12 - no check",
        "racecheck k.metal:99999999999 - no such line", "k.metal:12 - no check"}) {
    EXPECT_THAT(refusal_of([&] { (void)Suppressions(written(std::string("# head\n") + line + "\n")); }),
                AllOf(HasSubstr("list.txt:2: expected 'CHECK FILE:LINE - REASON'"), HasSubstr(line)));
  }
  EXPECT_THROW(Suppressions("/there/is/none"), std::invalid_argument);
}

TEST(Suppressions, ReachTheReportsOfARun) {
  std::ofstream(file("k.metal")) << "kernel void k(device int* x) {\n  x[0] = 1;\n}\n";
  ShaderScript script;
  script.source = file("k.metal");
  script.arrays = {{"x", "0"}};
  script.passes = {{.function = "k", .buffers = {{0, {"x"}}}, .grid = {64}, .group = {64}}};
  EXPECT_FALSE(check_shader(script).passed());
  script.suppressions = written("racecheck " + file("k.metal").filename().string() + ":2 - all write 1\n");
  const ShaderOutcome outcome = check_shader(script);
  EXPECT_TRUE(outcome.passed()) << outcome;
  ASSERT_EQ(outcome.allowed.size(), 1U);
  EXPECT_EQ(outcome.allowed[0].reason, "all write 1");
  EXPECT_FALSE(outcome.allowed[0].is_in_source);
  script.suppressions = written("racecheck " + file("k.metal").filename().string() + ":3 - another line\n");
  EXPECT_FALSE(check_shader(script).passed());
}

}  // namespace
}  // namespace assay::validation
