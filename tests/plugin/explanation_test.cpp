// Why a plug-in fails: planted origins of NaN and losses of digits in C++, each of which must be found at its line.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>

#include "metal/device/or_throw.h"
#include "metal/device/read_file.h"
#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/files.h"
#include "tests/matchers.h"
#include "tests/plugin/plugins.h"
#include "validation/cce/operation.h"
#include "validation/core/explanation.h"
#include "validation/registry.h"
#include "validation/transport/library/instrument.h"

namespace assay::validation::transport {
namespace {

using metal::or_throw;

constexpr std::int64_t elements = 32;

struct PlantedFunction {
  std::string name;
  int line = 0;  ///< 0: it is right
};

/// In the order of their definitions.
std::vector<PlantedFunction> planted_functions() {
  std::istringstream source(or_throw(metal::read_file(ASSAY_PLANTED "/planted.cpp")));
  std::vector<PlantedFunction> functions;
  std::map<std::string, int> elsewhere;
  int number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (line.starts_with("PLANTED(")) functions.push_back({line.substr(8, line.find(')') - 8)});
    const std::size_t here = line.find("  // here");
    if (here == std::string::npos) continue;
    if (const std::string rest = line.substr(here + 9); rest.starts_with(": "))
      elsewhere[rest.substr(2)] = number;
    else
      functions.back().line = number;
  }
  for (auto& one : functions)
    if (elsewhere.contains(one.name)) one.line = elsewhere[one.name];
  return functions;
}

CceCase counting_case() {
  CceCase c;
  c.N = elements;
  c.hidden.resize(elements);
  std::iota(c.hidden.begin(), c.hidden.end(), 0.0F);
  c.weight = {1};
  c.targets.assign(elements, 0);
  return c;
}

std::string clang() {
  return or_throw(metal::emulator::find_clang()).path;
}

/// The planted functions, compiled once.
class PlantedPlugin : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder() = std::make_unique<metal::emulator::TemporaryFolder>(
        or_throw(metal::emulator::TemporaryFolder::make(std::filesystem::temp_directory_path())));
    ASSERT_EQ(compile_instrumented({clang(), "-std=c++20", "-O1", "-shared", "-fPIC", "-I", ASSAY_SOURCE_FOLDER,
                                    ASSAY_PLANTED "/planted.cpp", ASSAY_PLANTED "/elsewhere.cpp", "-o", library()}),
              0);
  }
  static void TearDownTestSuite() { folder().reset(); }
  static std::unique_ptr<metal::emulator::TemporaryFolder>& folder() {
    static std::unique_ptr<metal::emulator::TemporaryFolder> one;
    return one;
  }
  static std::string library() { return (folder()->path() / "planted.so").string(); }

  /// What is found of a function.
  static Why why(std::size_t function) {
    const Explanation explanation;
    CceFields::RunOptions options;
    options.request.threads = static_cast<int>(function);
    run_kernel(*kernel_called<CceOperation>(library()), counting_case(), options);
    return explanation.why();
  }
};

TEST_F(PlantedPlugin, IsExplainedByTheRightLine) {
  const auto functions = planted_functions();
  ASSERT_GE(functions.size(), 20U);
  for (std::size_t n = 0; n < functions.size(); ++n) {
    const Why found = why(n);
    if (functions[n].line != 0)
      EXPECT_EQ(found.place, "planted.cpp:" + std::to_string(functions[n].line)) << functions[n].name << "\n"
                                                                                 << found.text;
    else
      EXPECT_THAT(found.text, Not(HasSubstr("numcheck"))) << functions[n].name;
  }
}

TEST_F(PlantedPlugin, IsExplainedByOperandsOutputAndExactValue) {
  const std::string text = why(0).text;
  EXPECT_THAT(text, StartsWith("    numcheck: kernel assay_cce: exp(90) makes an infinity: exactly 1.22040329e+39, "
                               "which float cannot hold"));
  EXPECT_THAT(text, HasSubstr("  loss[0] is NaN\n      exp(90) = inf"));
  EXPECT_THAT(text, Not(HasSubstr("of the grid")));
  EXPECT_THAT(text, HasSubstr("tests/plugin/planted/planted.cpp:"));
}

TEST(PluginWhy, AsksForInstrumentationWhereThereIsNone) {
  const Explanation explanation;
  run_kernel(*kernel_called<CceOperation>(built("full_cce")), counting_case());
  EXPECT_THAT(explanation.why().text, HasSubstr("full_cce.so was not compiled for it: put `assay instrument` before"));
}

TEST(Instrument, RefusesWhatItCannotDoByName) {
  const auto refuses = [](const std::vector<std::string>& command, const std::string& word) {
    EXPECT_THAT([&] { compile_instrumented(command); }, ThrowsMessage<std::exception>(HasSubstr(word)));
  };
  refuses({}, "expected a compiler's command line");
  refuses({clang(), "-S", "mine.c"}, "'-S' is not possible");
  refuses({"no-such-compiler", "mine.c"}, "no-such-compiler");
}

TEST_F(PlantedPlugin, IsCompiledToObjectsWithTheRulesOfMake) {
  const auto object = folder()->path() / "elsewhere.o";
  const std::string source = ASSAY_PLANTED "/elsewhere.cpp";
  ASSERT_EQ(compile_instrumented(
                {clang(), "-std=c++20", "-MMD", "-I", ASSAY_SOURCE_FOLDER, "-c", source, "-o", object.string()}),
            0);
  EXPECT_TRUE(std::filesystem::exists(object));
  const std::string rule = or_throw(metal::read_file(folder()->path() / "elsewhere.d"));
  EXPECT_THAT(rule, StartsWith(object.string() + ": "));
  EXPECT_THAT(rule, HasSubstr(source));
}

TEST(Instrument, ReturnsTheStatusOfTheCompiler) {
  testing::internal::CaptureStderr();
  EXPECT_NE(compile_instrumented({clang(), "-c", "no_such_source.c"}), 0);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("no_such_source.c"));
}

}  // namespace
}  // namespace assay::validation::transport
