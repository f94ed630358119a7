// assay metal on a shader's text: what is listed, compiled and found without a run; and what an interrupted program
// leaves behind.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/cli/program.h"
#include "tests/matchers.h"

namespace assay::validation {
namespace {

namespace fs = std::filesystem;

using MetalSource = Program;

const std::string two_kernels =
    "template <typename T> kernel void k(device T* x) { x[0] = T::none; }\n"
    "template [[host_name(\"k_half\")]] kernel void k<half>(device half*);\n"
    "kernel void fine(device int* x) { x[0] = 1; }\n";

TEST_F(MetalSource, ListsWithoutCompilingAndCompilesOneKernelAlone) {
  write("k.metal", two_kernels);
  const Outcome listed = run("metal check k.metal");
  EXPECT_EQ(listed.status, 0) << listed.err;
  EXPECT_THAT(listed.out,
              AllOf(HasSubstr("kernel k_half = k<half>"), HasSubstr("device half*"), HasSubstr("kernel fine")));
  EXPECT_EQ(run("metal check k.metal --kernel fine").out, "k.metal fine: compiles\n");
  const Outcome refused = run("metal check k.metal --kernel k_half");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.out, HasSubstr("k.metal:1:59: error: type '_Float16' cannot be used prior to '::'"));
}

TEST_F(MetalSource, SearchesTheFoldersOfTheOption) {
  write("headers/one.h", "constant int one = 1;\n");
  write("shaders/k.metal", "#include <one.h>\nkernel void k(device int* x) { x[0] = one; }\n");
  EXPECT_EQ(run("metal check -I headers shaders/k.metal --kernel k").status, 0);
  EXPECT_THAT(run("metal check shaders/k.metal").err, HasSubstr("'one.h' file not found"));
}

TEST_F(MetalSource, ReportsPrivateVariablesReadBeforeTheyAreWritten) {
  const std::string text =
      "kernel void k(device float* x) {\n  float sum;\n  for (int i = 0; i < 4; ++i) sum += x[i];\n  x[0] = sum;\n}\n";
  write("k.metal", text);
  const std::string check =
      "XDG_CACHE_HOME=\"$PWD/cache\" '" ASSAY_PROGRAM "' metal check k.metal --buffer 0=1,2,3,4 --grid 1";
  const Outcome found = shell(check + " --json found.json");
  ASSERT_EQ(found.status, 1) << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("initcheck: kernel k: a private variable is read before it is written"),
                               HasSubstr("at k.metal:3:31"), Not(HasSubstr("by thread"))));
  const auto document = json("found.json");
  EXPECT_EQ(document["reports"][0]["event"]["line"], 3);
  EXPECT_TRUE(document["reports"][0]["event"]["thread_position_in_grid"].is_null());
  EXPECT_EQ(shell(check).out, found.out) << "not from the cache";
  EXPECT_EQ(shell("rm cache/assay/*.analysis && " + check).out, found.out) << "a full cache lost one of the two files";
  write("k.metal", replaced(text, "float sum;", "float sum = 0;"));
  EXPECT_EQ(shell(check).status, 0);
}

TEST_F(MetalSource, AsksForFunctionConstantsAndNotForAbsentArguments) {
  write("k.metal",
        "constant bool biased [[function_constant(4)]];\n"
        "kernel void k(device int* x, device int* bias [[function_constant(biased)]]) {\n"
        "  x[0] = biased ? bias[0] : 7;\n}\n");
  expect_refused("metal check k.metal --buffer 0=1 --grid 1",
                 "function constant 4 `biased`: kernel k uses it, and it has no value");
  EXPECT_EQ(run("metal check k.metal --buffer 0=1 --grid 1 --constant 4=false").status, 0);
  EXPECT_THAT(run("metal check k.metal --buffer 0=1 --grid 1 --constant 4=true").err, HasSubstr("expected --buffer 1"));
}

/// A compiler that never ends stands for a slow one.
TEST_F(MetalSource, LeavesNothingBehindWhenItIsInterrupted) {
  write("k.metal", "kernel void k(device int* x) { x[0] = 1; }\n");
  write("clang",
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo clang version 19; exit; fi\n"
        "sleep 100 &\necho $! > child\nwait\n");
  for (const std::string signal : {"INT", "TERM"}) {
    const Outcome outcome = shell(
        "chmod +x clang; rm -f child; XDG_CACHE_HOME=\"$PWD/cache\" ASSAY_CLANG=\"$PWD/clang\" timeout --foreground "
        "--preserve-status -s " +
        signal + " 2 '" ASSAY_PROGRAM "' metal check k.metal; sleep 0.2; cat child");
    ASSERT_FALSE(outcome.out.empty()) << "the compiler did not run";
    const std::string process = "/proc/" + outcome.out.substr(0, outcome.out.find('\n'));
    EXPECT_NE(shell("test -d " + process + " && ! grep -q zombie " + process + "/status").status, 0)
        << "the compiler still runs";
    EXPECT_TRUE(fs::is_empty(folder_ / "cache/assay")) << *fs::directory_iterator(folder_ / "cache/assay");
  }
}

/// The compiler kills the program that runs it: then it ends too, and the next run removes its folder.
TEST_F(MetalSource, LeavesNothingBehindWhenItIsKilled) {
  write("k.metal", "kernel void k(device int* x) { x[0] = 1; }\n");
  write("clang",
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo clang version 19; exit; fi\n"
        "echo $$ > child\nkill -KILL $PPID\nexec sleep 1000\n");
  const std::string with_cache = "XDG_CACHE_HOME=\"$PWD/cache\" ";
  const Outcome killed = shell("chmod +x clang; " + with_cache +
                               "ASSAY_CLANG=\"$PWD/clang\" '" ASSAY_PROGRAM
                               "' metal check k.metal; test $? = 137 && ls cache/assay && cat child");
  ASSERT_THAT(killed.out, StartsWith("assay-work-")) << killed.err;
  const std::string process =
      "/proc/" + killed.out.substr(killed.out.find('\n') + 1, killed.out.rfind('\n') - killed.out.find('\n') - 1);
  EXPECT_EQ(shell("for n in $(seq 100000); do test ! -d " + process + " && exit; grep -q zombie " + process +
                  "/status && exit; done; exit 1")
                .status,
            0)
      << "the compiler still runs";
  EXPECT_EQ(shell(with_cache + "'" ASSAY_PROGRAM "' metal check k.metal --buffer 0=1 --grid 1").status, 0);
  EXPECT_EQ(shell("ls cache/assay | grep assay-work").out, "");
}

TEST_F(MetalSource, GoesOnWithoutACache) {
  write("k.metal", "kernel void k(device int* x) { x[0] = 1; }\n");
  const std::string command = "'" ASSAY_PROGRAM "' metal check k.metal --buffer 0=1 --grid 1";
  const Outcome outcome =
      shell("mkdir t; touch cache; TMPDIR=$PWD/t XDG_CACHE_HOME=$PWD/cache " + command + "; r=$?; ls t; exit $r");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, StartsWith("assay: compiled shaders are not kept for later runs: '"));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1);
  EXPECT_THAT(outcome.out, Not(HasSubstr("assay-work"))) << "its folder is left behind";
  const Outcome nowhere = shell("TMPDIR=/none XDG_CACHE_HOME=$PWD/cache " + command);
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("TMPDIR = '/none': expected a folder for temporary files"));
}

/// As where the disk is full.
TEST_F(MetalSource, SaysThatThereIsNoSpace) {
  write("k.metal", "kernel void k(device int* x) { x[0] = 1; }\n");
  const Outcome outcome = shell("ulimit -f 8; XDG_CACHE_HOME=$PWD/cache '" ASSAY_PROGRAM "' metal check k.metal");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("no space for its files in '"), HasSubstr("File too large")));
}

TEST_F(MetalSource, MayBeOfWindows) {
  write("k.metal", "\xEF\xBB\xBF#include \"h.h\"\r\nkernel void k(device int* x) {\r\n  x[n] = 1;\r\n}\r\n");
  write("h.h", "\xEF\xBB\xBF#pragma once\r\nconstant int n \\\r\n  = 3;\r\n");
  const Outcome outcome = run("metal check k.metal --buffer 0=1,2 --grid 1");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("k.metal:3:8"));
}

TEST_F(MetalSource, NeedsAKernelAndUtf8) {
  write("k.metal", "int f() { return 1; }\n");
  for (const char* const more : {"--grid 1", "--kernel f"})
    expect_refused(std::string("metal check k.metal ") + more,
                   "k.metal: expected a function that is declared `kernel`, got none");
  write("k.metal", "\xFF\xFEk");
  expect_refused("metal check k.metal", "cannot read 'k.metal': it is in UTF-16, expected a text in UTF-8");
}

TEST_F(MetalSource, MayHaveAnyName) {
  const std::string text = "#include <metal_stdlib>\nkernel void k(device int* x) {\n  x[1] = 2;\n}\n";
  for (const std::string name : {"a\"b.metal", "a\\b.metal", "\xC3\xA9 \\303.metal"}) {
    write(name, text);
    for (const char* const more : {"", " --numerics"}) {
      const Outcome outcome = run("metal check '" + name + "' --buffer 0=1 --grid 1" + more);
      EXPECT_EQ(outcome.status, 1) << outcome.err;
      EXPECT_THAT(outcome.out, HasSubstr("at " + name + ":3:8"));
    }
  }
  write("a\nb.metal", text);
  EXPECT_EQ(run("metal check 'a\nb.metal' --kernel k").status, 0);
}

}  // namespace
}  // namespace assay::validation
