// The cache of preprocessed shaders: it is used while nothing has changed, and not once after any change.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "metal/emulator/compile/files.h"
#include "shader_stand_in.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

namespace fs = std::filesystem;

/// A project of two folders of headers, in which k.metal includes second/a.h.
class Project {
 public:
  explicit Project(const std::string& shader = "#include \"a.h\"\nkernel void k(device int* x) { x[0] = A; }\n")
      : folder_(TemporaryFolder::make(fs::temp_directory_path()).value()) {
    for (const char* name : {"first", "second"}) fs::create_directories(folder_.path() / name);
    options.cache = folder_.path() / "cache";
    options.language.folders = {folder_.path() / "first", folder_.path() / "second"};
    write("second/a.h", "#define A 1\n");
    write("k.metal", shader);
  }

  void write(const std::string& name, const std::string& text, std::chrono::seconds age = std::chrono::hours(1)) {
    ASSERT_TRUE(write_file(folder_.path() / name, text));
    fs::last_write_time(folder_.path() / name, fs::file_time_type::clock::now() - age);
  }

  std::string text() const { return preprocess_file(folder_.path() / "k.metal", options).value(); }

  /// Whether what the cache keeps is the result. Marks all that it keeps to see that.
  bool is_found() const {
    int kept = 0;
    (void)text();
    for (const auto& entry : fs::directory_iterator(options.cache))
      if (entry.path().extension() == ".preprocessed" && ++kept > 0)
        std::ofstream(entry.path(), std::ios::app) << "// kept\n";
    return kept > 0 && text().ends_with("// kept\n");
  }

  CompileOptions options;

 private:
  TemporaryFolder folder_;
};

TEST(PreprocessedCache, IsUsedUntilAnIncludedFileChanges) {
  Project project;
  ASSERT_TRUE(project.is_found());
  project.write("second/a.h", "#define A 2\n");
  EXPECT_THAT(project.text(), HasSubstr("x[0] = 2"));
  EXPECT_TRUE(project.is_found());
}

TEST(PreprocessedCache, IsNotUsedIfAnotherFileWouldBeIncluded) {
  Project project;
  ASSERT_TRUE(project.is_found());
  project.write("first/a.h", "#define A 3\n");
  EXPECT_THAT(project.text(), HasSubstr("x[0] = 3"));
  project.write("a.h", "#define A 4\n");
  EXPECT_THAT(project.text(), HasSubstr("x[0] = 4"));
}

TEST(PreprocessedCache, IsNotUsedForOtherMacrosOrAnotherSource) {
  Project project;
  ASSERT_TRUE(project.is_found());
  project.options.language.macros["x"] = "y";
  EXPECT_THAT(project.text(), HasSubstr("y[0] = 1"));
  project.write("k.metal", "kernel void other() {}\n");
  EXPECT_THAT(project.text(), HasSubstr("other"));
}

TEST(PreprocessedCache, KeepsNothingThatMayBeOutOfDateUnseen) {
  for (const char* line : {"#if __has_include(\"b.h\")\n#endif\n", "constant char day[] = __DATE__;\n",
                           "#if 0\n# embed \"b.h\"\n#endif\n"})
    EXPECT_FALSE(Project(line + std::string("kernel void k() {}\n")).is_found()) << line;
  Project project;
  project.write("second/a.h", "#define A 5\n", std::chrono::seconds(0));
  EXPECT_FALSE(project.is_found());
}

}  // namespace
}  // namespace assay::metal::emulator::test
