// assay metal check and lint on real .metal text: what is wrong is found at its place, and the corrected twin is not.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/program.h"
#include "tests/matchers.h"

namespace assay::validation {
namespace {

const std::string group_sum = R"(#include <metal_stdlib>
using namespace metal;

constant bool doubled [[function_constant(0)]];

kernel void group_sum(device const float* in [[buffer(0)]],
                      device float* out [[buffer(1)]],
                      constant uint& n [[buffer(2)]],
                      threadgroup float* partial [[threadgroup(0)]],
                      uint tid [[thread_position_in_threadgroup]],
                      uint gid [[thread_position_in_grid]],
                      uint group [[threadgroup_position_in_grid]],
                      uint size [[threads_per_threadgroup]]) {
  partial[tid] = gid < n ? in[gid] : 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint half_size = size / 2; half_size > 0; half_size /= 2) {
    if (tid < half_size) partial[tid] += partial[tid + half_size];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (tid == 0) out[group] = doubled ? 2 * partial[0] : partial[0];
}
)";

const std::string bindings =
    " --buffer 0=random:250 --buffer 1=unset:4 --threadgroup-memory 0=256 --constant 0=true --grid 256 --group 64";

class MetalCommand : public Program {
 protected:
  void write(const std::string& text) const { std::ofstream(folder_ / "sum.metal") << text; }
};

TEST_F(MetalCommand, ListsKernelsArgumentsAndConstants) {
  write(group_sum);
  const Outcome outcome = run("metal check sum.metal");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("kernel group_sum"), HasSubstr("device const float*"), HasSubstr("threadgroup(0)"),
                    HasSubstr("thread_position_in_grid"), HasSubstr("function_constant(0) bool doubled")));
}

/// The command that the listing ends with, which runs as it stands and finds this race.
TEST_F(MetalCommand, AListingSaysThatNothingWasRunAndWhatWouldCheck) {
  std::string racing = group_sum;
  racing.erase(racing.find("  threadgroup_barrier"),
               std::string_view("  threadgroup_barrier(mem_flags::mem_threadgroup);\n").size());
  write(racing);
  const std::string command =
      "metal check sum.metal --grid 256 --group 64 --buffer 0=random:256 --buffer 1=zero:256 --buffer 2=256 "
      "--threadgroup-memory 0=4096 --constant 0=true";
  EXPECT_THAT(run("metal check sum.metal").out,
              HasSubstr("Nothing was run. To check it, with sizes of your own:\n  ./assay " + command + "\n"));
  const Outcome checked = run(command);
  EXPECT_EQ(checked.status, 1);
  EXPECT_THAT(checked.out, HasSubstr("racecheck: kernel group_sum"));
  for (const char* option : {" --numerics", " --sarif found.sarif", " --github", " --schedules 3", " --only-groups 0",
                             " --arithmetic fast", " --kernel group_sum --numerics"})
    expect_refused(std::string("metal check sum.metal") + option,
                   "--grid: expected the number of threads to run, as in\n  ./assay metal check sum.metal --");
}

TEST_F(MetalCommand, TheCommandGivesEachKindOfArgumentOfTheNamedKernel) {
  write(R"(#include <metal_stdlib>
using namespace metal;
struct Shape { uint n; };
kernel void first(device int* a [[buffer(0)]]) {}
kernel void second(constant Shape& shape [[buffer(0)]], constant float& scale [[buffer(1)]], device const half* x [[buffer(2)]],
                   texture2d<float> from [[texture(0)]], texture2d<float, access::write> to [[texture(1)]],
                   sampler s [[sampler(0)]], uint i [[thread_position_in_grid]]) {
  to.write(from.sample(s, float2(0)) * scale * float(x[i]), uint2(i % 16, shape.n));
})");
  const std::string command =
      "metal check sum.metal --kernel second --grid 256 --group 64 --buffer 0=zero:1 --buffer 1=random:1 "
      "--buffer 2=random:256 --texture 0=random:16x16 --texture 1=zero:16x16 --sampler 0=linear";
  expect_refused("metal check sum.metal --kernel second --numerics", "./assay " + command + "\n");
  EXPECT_THAT(run(command).out, HasSubstr("sum.metal second: 256 x 1 x 1 threads in groups of 64 x 1 x 1"));
}

TEST_F(MetalCommand, ListsThemAsJson) {
  write(group_sum);
  EXPECT_EQ(run("metal check sum.metal --json listing.json").status, 0);
  const auto listing = json("listing.json");
  ASSERT_EQ(listing["kernels"].size(), 1U);
  EXPECT_EQ(listing["kernels"][0]["name"], "group_sum");
  const auto& out = listing["kernels"][0]["arguments"][1];
  EXPECT_EQ(out["kind"], "buffer");
  EXPECT_EQ(out["index"], 1);
  EXPECT_EQ(out["element_type"], "float");
  EXPECT_EQ(out["is_written"], true);
  EXPECT_EQ(listing["kernels"][0]["arguments"][0]["is_written"], false);
  EXPECT_EQ(listing["function_constants"][0], (nlohmann::json{{"index", 0}, {"name", "doubled"}, {"type", "bool"}}));
}

TEST_F(MetalCommand, FindsNothingInACorrectShader) {
  write(group_sum);
  for (const std::string order : {"forward", "reverse", "random"}) {
    const Outcome outcome = run("metal check sum.metal --buffer 2=250 --order " + order + bindings);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("checked on Assay emulator: nothing found"));
  }
}

TEST_F(MetalCommand, FindsEachKindOfFaultAtItsPlace) {
  struct Fault {
    std::string from, to, n, check, place;
  };
  const std::vector<Fault> faults = {
      {"", "", "256", "memcheck: kernel group_sum", "sum.metal:14:28"},
      {"  threadgroup_barrier(mem_flags::mem_threadgroup);\n  for", "\n  for", "250", "racecheck: kernel group_sum",
       "sum.metal:17:42"},
      {"partial[tid] = gid", "if (tid > 0) partial[tid] = gid", "250", "initcheck: kernel group_sum",
       "sum.metal:17:39"},
      {"  threadgroup_barrier(mem_flags::mem_threadgroup);\n  for",
       "  if (tid > 0) threadgroup_barrier(mem_flags::mem_threadgroup);\n  for", "250", "synccheck: kernel group_sum",
       "sum.metal:15"},
  };
  for (const Fault& fault : faults) {
    write(fault.from.empty() ? group_sum : replaced(group_sum, fault.from, fault.to));
    const Outcome outcome = run("metal check sum.metal --buffer 2=" + fault.n + bindings);
    EXPECT_EQ(outcome.status, 1) << fault.check << outcome.err;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr(fault.check), HasSubstr(fault.place)));
  }
}

TEST_F(MetalCommand, WritesTheOutcomeAsJson) {
  write(group_sum);
  EXPECT_EQ(run("metal check sum.metal --buffer 2=256 --json found.json" + bindings).status, 1);
  const auto found = json("found.json");
  EXPECT_EQ(found["device"], "Assay emulator");
  EXPECT_EQ(found["is_checked"], true);
  ASSERT_EQ(found["passes"].size(), 1U);
  EXPECT_EQ(found["passes"][0]["function"], "group_sum");
  EXPECT_EQ(found["passes"][0]["grid"], (std::vector<int>{256, 1, 1}));
  EXPECT_TRUE(found["passes"][0]["gpu_seconds"].is_null());
  EXPECT_EQ(found["arrays"]["1"], (nlohmann::json{{"dtype", "float32"}, {"shape", {4}}}));
  EXPECT_TRUE(found["error"].is_null());
  ASSERT_EQ(found["reports"].size(), 1U);
  EXPECT_EQ(found["reports"][0]["check"], "memcheck");
  EXPECT_EQ(found["reports"][0]["event"]["line"], 14);
  EXPECT_EQ(found["reports"][0]["event"]["thread_position_in_grid"], (std::vector<int>{250, 0, 0}));
}

TEST_F(MetalCommand, SaysWhatDoesNotCompileAndWhere) {
  write(replaced(group_sum, "partial[0];", "partal[0];"));
  const Outcome outcome = run("metal check sum.metal --buffer 2=250" + bindings);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("sum.metal:20"), HasSubstr("partal")));
}

TEST_F(MetalCommand, NumericsNameTheLinesThatMakeNaNAndLoseDigits) {
  write(
      "#include <metal_stdlib>\nusing namespace metal;\nkernel void k(device const float* x, device float* y, uint i "
      "[[thread_position_in_grid]]) {\n  float e = exp(x[i] * 100);\n  y[i] = i < 2 ? e / e : (x[i] + 4e6f) - "
      "4e6f;\n}");
  const Outcome outcome = run(
      "metal check sum.metal --numerics --grid 4 --group 4 --buffer 0=0,1,0.3,0.7 --buffer 1=unset:4 --json found.json "
      "--sarif found.sarif --html found.html");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("exp(100) makes an infinity: exactly 2.68811714e+43"),
                                 HasSubstr("100 %     5 |   y[i] = i < 2 ? e / e"), HasSubstr("of 24 bits lost")));
  const auto found = json("found.json");
  EXPECT_EQ(found["reports"][0]["check"], "numcheck");
  EXPECT_EQ(found["reports"][0]["event"]["line"], 4);
  EXPECT_EQ(found["numerics"][0]["lines"][0]["line"], 5);
  EXPECT_EQ(found["numerics"][0]["elements_with_large_errors"], 2);
  const auto sarif = json("found.sarif");
  EXPECT_EQ(sarif["runs"][0]["results"][0]["ruleId"], "numcheck");
  const std::string page = (std::ostringstream() << std::ifstream(folder_ / "found.html").rdbuf()).str();
  EXPECT_THAT(page, AllOf(HasSubstr("<title>Numerics of sum.metal</title>"), HasSubstr("error: exp(100) = inf")));
}

TEST_F(MetalCommand, ThePageOfNumericsNeedsNumerics) {
  write(group_sum);
  const Outcome outcome = run("metal check sum.metal --html found.html --buffer 2=250" + bindings);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("--html"), HasSubstr("--numerics")));
}

TEST_F(MetalCommand, ComputesInTheArithmeticThatIsAskedFor) {
  write(
      "#include <metal_stdlib>\nusing namespace metal;\nkernel void k(device const float* x, device float* y, uint i "
      "[[thread_position_in_grid]]) {\n  y[i] = tanh(x[i]);\n}");
  const std::string command =
      "metal check sum.metal --grid 1 --buffer 0=50 --buffer 1=unset:1 --numerics --arithmetic ";
  EXPECT_EQ(run(command + "safe").status, 0);
  const Outcome fast = run(command + "fast");
  EXPECT_EQ(fast.status, 1);
  EXPECT_THAT(fast.out, AllOf(HasSubstr("exp(100) makes an infinity"), HasSubstr("sum.metal:4")));
  expect_refused(command + "exact", "--arithmetic");
}

TEST_F(MetalCommand, ComparesSchedules) {
  const auto count = [&](const std::string& comment) {
    write(
        "#include <metal_stdlib>\nusing namespace metal;\nkernel void k(device float* y, device atomic_uint* n, uint i "
        "[[thread_position_in_grid]]) {\n  y[atomic_fetch_add_explicit(n, 1u, memory_order_relaxed)] = i;" +
        comment + "\n}");
    return run(
        "metal check sum.metal --schedules 4 --grid 64 --group 32 --buffer 0=unset:64 --buffer 1=0 --json found.json "
        "--sarif found.sarif");
  };
  const Outcome outcome = count("");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("schedcheck: kernel k: a result depends on which"),
                                 HasSubstr("4 schedules of up to 64 atomic accesses: 4 give other bits")));
  const auto found = json("found.json");
  EXPECT_EQ(found["reports"][0]["check"], "schedcheck");
  EXPECT_EQ(found["reports"][0]["event"]["line"], 4);
  EXPECT_EQ(found["reports"][0]["other"]["line"], 4);
  EXPECT_EQ(found["schedules"]["different"], 4);
  const auto sarif = json("found.sarif");
  EXPECT_EQ(sarif["runs"][0]["results"][0]["ruleId"], "schedcheck");
  EXPECT_EQ(count("  // assay: allow schedcheck - the order is undone").status, 0);
}

TEST_F(MetalCommand, LintRefusesWhatApplesCompilerWould) {
  write(group_sum);
  const Outcome clean = run("metal lint sum.metal");
  EXPECT_EQ(clean.status, 0) << clean.out << clean.err;
  write(replaced(group_sum, "  partial[tid] = gid", "  thread float* mine = partial;\n  partial[tid] = gid"));
  const Outcome refused = run("metal lint sum.metal");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.out, HasSubstr("sum.metal:14"));
}

TEST_F(MetalCommand, WarnsOfDivergenceAndRefusesUndefinedValues) {
  const std::string before = "  if (tid == 0) out[group]", branch = "  if (tid < 16) partial[tid] = ";
  write(replaced(group_sum, before, branch + "simd_sum(partial[tid]);\n" + before));
  const Outcome warned = run("metal check sum.metal --buffer 2=250 --json found.json" + bindings);
  EXPECT_EQ(warned.status, 0) << warned.out;
  EXPECT_THAT(warned.out, AllOf(HasSubstr("simdcheck warning: kernel group_sum"), HasSubstr("sum.metal:20:"),
                                HasSubstr("checked on Assay emulator: 1 warning")));
  const auto found = json("found.json");
  EXPECT_TRUE(found["reports"].empty());
  EXPECT_EQ(found["warnings"][0]["check"], "simdcheck");
  EXPECT_EQ(found["warnings"][0]["event"]["line"], 20);
  const Outcome linted = run("metal lint sum.metal");
  EXPECT_EQ(linted.status, 0);
  EXPECT_THAT(linted.out,
              AllOf(HasSubstr("sum.metal:20:"), HasSubstr("warning: simd_sum"), HasSubstr("warnings only")));
  write(replaced(group_sum, before, branch + "simd_shuffle_xor(partial[tid], 16);\n" + before));
  const Outcome refused = run("metal check sum.metal --buffer 2=250" + bindings);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.out,
              AllOf(HasSubstr("simdcheck: kernel group_sum"), HasSubstr("checked on Assay emulator: 1 found")));
}

TEST_F(MetalCommand, AnInstalledProgramTakesTheHeadersBesideIt) {
  write(group_sum);
  const auto headers = folder_ / "include/assay/metal/emulator/include";
  std::filesystem::create_directories(headers / "assay");
  std::filesystem::create_directory(folder_ / "bin");
  std::filesystem::copy_file(ASSAY_PROGRAM, folder_ / "bin/assay");
  std::ofstream(headers / "metal_stdlib") << "#pragma once\n";
  std::ofstream(headers / "assay/shader.h") << "#error of the installation\n";
  // What run() begins with is the program that was built: it lists its commands.
  const Outcome outcome = run("--help; bin/assay metal check sum.metal");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("of the installation"));
}

TEST_F(MetalCommand, StopsAnEndlessKernelAtTheLimitOfSteps) {
  write("kernel void f(device float* x) {\n  while (x[0] == 0) x[1] += 1;\n}\n");
  const std::string command = "metal check sum.metal --buffer 0=zero:2 --grid 1 --step-limit ";
  const Outcome outcome = run(command + "5000");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("synccheck: kernel f"), HasSubstr("after 5000 steps: an endless loop?"),
                                 HasSubstr("running by thread (0, 0, 0)"), HasSubstr("sum.metal:2:")));
  EXPECT_EQ(outcome.err, "");  // no line of progress, since this is no terminal
  expect_refused(command + "0", "--step-limit");
}

TEST_F(MetalCommand, ReportsAnIntegerDivisionByZero) {
  write("kernel void f(device int* x, uint i [[thread_position_in_grid]]) {\n  x[i] = 7 % x[i];\n}\n");
  const Outcome outcome = run("metal check sum.metal --buffer 0=1,2,0,4 --grid 4 --json found.json");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("7 of int, divided by 0 of int, by thread (2, 0, 0) of the grid"));
  EXPECT_EQ(json("found.json")["reports"][0]["check"], "intcheck");
  write(
      "kernel void f(device int* x, uint i [[thread_position_in_grid]]) {\n"
      "  x[i] = 7 % x[i];  // assay: allow intcheck - 0 is never used\n}\n");
  EXPECT_EQ(run("metal check sum.metal --buffer 0=1,2,0,4 --grid 4").status, 0);
}

TEST_F(MetalCommand, RefusesBadUsageWithStatus2) {
  write(group_sum);
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"metal", "subcommand"},
      {"metal check", "file"},
      {"metal check none.metal", "none.metal"},
      {"metal check sum.metal --buffer 2=250", "--grid"},
      {"metal check sum.metal --buffer 2=250 --grid 0" + bindings.substr(0, bindings.find(" --grid")), "--grid"},
      {"metal check sum.metal" + bindings, "expected --buffer 2="},
      {"metal check sum.metal --buffer 2=250 --buffer 7=1" + bindings, "--buffer 7: group_sum does not take it"},
      {"metal check sum.metal --buffer 2=-1" + bindings, "--buffer 2=-1 (constant uint& n): '-1'"},
      {"metal check sum.metal --buffer 2=1,x" + bindings, "'x'"},
      {"metal check sum.metal --buffer 2=1," + bindings, "--buffer 2=1, (constant uint& n): ''"},
      {"metal check sum.metal --buffer 2=random:0" + bindings, "'0': expected a count"},
      {"metal check sum.metal --buffer 2=random:99999999999999" + bindings, "expected at most"},
      {"metal check sum.metal --buffer 2=1 --buffer 0=random:16000000000" +
           bindings.substr(bindings.find(" --buffer 1")),
       "a quarter of this machine's memory"},
      {"metal check sum.metal --buffer 2=noise:5" + bindings, "expected PATH.npy, random:SHAPE"},
      {"metal check sum.metal --buffer 2=file:none.bin" + bindings, "none.bin"},
      {"metal check sum.metal --buffer 2=1 --constant 5=1" + bindings, "no such function constant"},
      {"metal check sum.metal --buffer 2=1 --kernel other" + bindings, "other"},
      {"metal check sum.metal --buffer x=1" + bindings, "expected INDEX="},
      {"metal check sum.metal --buffer 0=1 --buffer 0=2" + bindings, "--buffer 0=2: expected each index once"},
      {"metal check sum.metal --constant 0=1 --constant 0=2" + bindings, "--constant 0=2: expected each index once"},
      {"metal check sum.metal --buffer 31=1" + bindings,
       "--buffer 31=1: expected INDEX=..., with an index from 0 to 30"},
      {"metal check sum.metal -D 'A B=1'", "--define A B=1: expected an identifier as the macro's name"},
      {"metal check sum.metal -D 'A=1\n2'", "--define A=1\n2: expected an identifier as the macro's name"},
      {"metal check sum.metal --threads 1000000" + bindings, "--threads: Value 1000000 not in range"},
      {"metal check sum.metal --buffer 2=1 --order sideways" + bindings, "--order"},
  };
  for (const auto& [arguments, words] : bad) expect_refused(arguments, words);
}

}  // namespace
}  // namespace assay::validation
