// assay metal run and metal check of a script: passes share arrays, and what is wrong with a script is refused by its
// key.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/npy_files.h"
#include "tests/matchers.h"

namespace assay::validation {
namespace {

/// y = (x + 1) * 2 in two passes that share y; then the second half of y alone, doubled.
const std::string steps_metal = R"(#include <metal_stdlib>
using namespace metal;
constant float by [[function_constant(0)]];
kernel void add_one(device const float* x, device float* y, uint i [[thread_position_in_grid]]) { y[i] = x[i] + 1; }
kernel void scale(device float* y, uint i [[thread_position_in_grid]]) { y[i] *= by; }
kernel void swap_pairs(device float* y, threadgroup float* pair, uint i [[thread_position_in_grid]],
                       uint tid [[thread_position_in_threadgroup]]) {
  pair[tid] = y[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[i] = pair[1 - tid];
}
)";

const std::string steps_json = R"({
  "source": "steps.metal",
  "arrays": {"x": "in.npy", "y": "unset:8"},
  "passes": [
    {"function": "add_one", "grid": [8], "buffers": [{"index": 0, "array": "x"}, {"index": 1, "array": "y"}]},
    {"function": "scale", "grid": [8], "constants": [{"index": 0, "value": 2}],
     "buffers": [{"index": 0, "array": "y"}]},
    {"function": "scale", "grid": [4], "group": [2], "constants": [{"index": 0, "value": 10}],
     "buffers": [{"index": 0, "array": "y", "offset": 16}]},
    {"function": "swap_pairs", "grid": [8], "group": [2], "threadgroup_memory": [{"index": 0, "bytes": 16}],
     "buffers": [{"index": 0, "array": "y"}]}
  ],
  "outputs": {"y": "out.npy"}
})";

class MetalScript : public NpyFiles {
 protected:
  MetalScript() {
    std::filesystem::create_directory(folder_ / "case");
    write("case/steps.metal", steps_metal);
    write("case/steps.json", steps_json);
    std::filesystem::rename(folder_ / "in.npy", folder_ / "case/in.npy");
  }
};

TEST_F(MetalScript, RunsPassesThatShareArraysOfItsOwnFolder) {
  const Outcome outcome = run("metal run case/steps.json --device emulated --against emulated");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(floats("case/out.npy"), (std::vector<float>{6, 4, 10, 8, 140, 120, 180, 160}));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("steps.metal add_one: 8 x 1 x 1 threads in groups of 8 x 1 x 1\n"),
                                 HasSubstr("steps.metal scale: 4 x 1 x 1 threads in groups of 2 x 1 x 1\n"),
                                 HasSubstr("y (float32 [8]): all of 8 elements are equal")));
}

TEST_F(MetalScript, CompilesTheKernelsThatItsPassesNameAndNoOthers) {
  write("case/steps.metal", steps_metal + "kernel void broken(device float* y) { y[0] = undeclared; }\n");
  EXPECT_EQ(run("metal check case/steps.json").status, 0);
  write("case/steps.json", replaced(steps_json, "\"function\": \"swap_pairs\"", "\"function\": \"broken\""));
  const Outcome outcome = run("metal check case/steps.json");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("use of undeclared identifier 'undeclared'"));
}

TEST_F(MetalScript, SaysWhichPassesWereNotRunAfterOneThatFailed) {
  std::string faulty = steps_json;
  faulty.replace(faulty.find("\"grid\": [8]"), 11, "\"grid\": [9]");
  write("case/steps.json", faulty);
  const Outcome outcome = run("metal check case/steps.json --json found.json");
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("memcheck: kernel add_one"), HasSubstr("steps.metal add_one: 9 x 1 x 1"),
                                 HasSubstr("steps.metal swap_pairs: not run, since a pass before it failed\n")));
  const auto found = json("found.json");
  EXPECT_EQ(found["passes"][0]["has_begun"], true);
  EXPECT_EQ(found["passes"][1]["has_begun"], false);
}

/// The first pass writes how many threadgroups of the second run, which is checked in turn.
TEST_F(MetalScript, DispatchesAsManyThreadgroupsAsAnArraySays) {
  const std::string script = R"({
  "source": "counts.metal", "arrays": {"n": "unset:4", "y": "zero:8"},
  "passes": [
    {"function": "count", "grid": [1], "buffers": [{"index": 0, "array": "n"}]},
    {"function": "mark", "threadgroups": {"array": "n", "offset": 4}, "group": [2],
     "buffers": [{"index": 0, "array": "y"}]}
  ],
  "outputs": {"y": "out.npy"}})";
  const std::string counts =
      "kernel void count(device uint* n) { n[1] = 3; n[2] = 1; n[3] = 1; }\n"
      "kernel void mark(device float* y, uint i [[thread_position_in_grid]]) { y[i] = 1; }\n";
  write("case/counts.metal", counts);
  write("case/steps.json", script);
  const Outcome outcome = run("metal run case/steps.json --device emulated");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("counts.metal mark: 6 x 1 x 1 threads in groups of 2 x 1 x 1\n"));
  EXPECT_EQ(floats("case/out.npy"), (std::vector<float>{1, 1, 1, 1, 1, 1, 0, 0}));
  write("case/counts.metal", replaced(counts, "n[1] = 3", "n[1] = 0"));
  EXPECT_EQ(run("metal run case/steps.json --device emulated").status, 0);
  EXPECT_EQ(floats("case/out.npy"), std::vector<float>(8, 0));
  write("case/given.json", R"({
  "source": "counts.metal", "arrays": {"n": "4,1,1", "y": "zero:8"},
  "passes": [{"function": "mark", "threadgroups": {"array": "n"}, "group": [2], "buffers": [{"index": 0, "array": "y"}]}],
  "outputs": {"y": "out.npy"}})");
  EXPECT_EQ(run("metal run case/given.json --device emulated").status, 0) << "no kernel takes n";
  EXPECT_EQ(floats("case/out.npy"), std::vector<float>(8, 1));
  write("case/counts.metal", replaced(counts, "n[1] = 3", "n[1] = 5"));
  EXPECT_THAT(run("metal check case/steps.json").out, HasSubstr("memcheck: kernel mark"));
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"\"offset\": 4}, \"group\"", "\"offset\": 8}, \"group\""},
      {"\"offset\": 4}, \"group\"", "\"offset\": 2}, \"group\""},
      {"{\"array\": \"n\", \"offset\": 4}", "{\"array\": \"m\"}"},
      {"\"group\": [2],", ""},
      {"\"group\": [2],", "\"group\": [2], \"grid\": [8],"},
  };
  for (const auto& [from, to] : wrong) {
    write("case/steps.json", replaced(script, from, to));
    const Outcome refused = run("metal run case/steps.json --device emulated");
    EXPECT_EQ(refused.status, 2) << to << refused.out;
    EXPECT_THAT(refused.err, testing::AnyOf(HasSubstr("threadgroups"), HasSubstr("group"))) << to;
  }
}

TEST_F(MetalScript, IsCheckedInEachPass) {
  write("case/steps.json",
        replaced(steps_json, R"({"function": "add_one", "grid": [8])", R"({"function": "add_one", "grid": [7])"));
  const Outcome outcome = run("metal check case/steps.json --order reverse");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("initcheck: kernel scale"), HasSubstr("checked on Assay emulator:")));
}

TEST_F(MetalScript, HasALimitOfSteps) {
  write("case/steps.json", replaced(steps_json, "\"arrays\"", "\"step_limit\": 5, \"arrays\""));
  const Outcome outcome = run("metal run case/steps.json --device emulated");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("after 5 steps: an endless loop?"));
}

TEST_F(MetalScript, RefusesAGridThatWouldTakeDays) {
  const std::string grid = "\"grid\": [4294967295, 4294967295, 4294967295], \"group\": [1]";
  write("case/steps.json", replaced(steps_json, "\"grid\": [8]", grid));
  expect_refused("metal run case/steps.json --device emulated", "the emulator runs at most 2^40 threads");
  const std::string power = "\"grid\": [4194304, 2097152, 2097152], \"group\": [1]";  // 2^64, which is 0 in 64 bits
  write("case/steps.json", replaced(steps_json, "\"grid\": [8]", power));
  expect_refused("metal run case/steps.json --device emulated", "the emulator runs at most 2^40 threads");
}

TEST_F(MetalScript, IsRefusedByTheKeyThatIsWrong) {
  struct Wrong {
    std::string from, to, says;
  };
  const std::vector<Wrong> all = {
      {"\"source\"", "\"sauce\"", "steps.json: sauce"},
      {"steps.metal", "none.metal", "none.metal"},
      {"steps.metal", "", "source = \"\": expected a file, no pipe or device"},
      {"steps.metal", ".", "source = \".\": expected a file, no pipe or device"},
      {"\"arrays\"", "\"macros\": {\"A B\": 1}, \"arrays\"", "macros.A B = 1: expected an identifier"},
      {"\"arrays\"", "\"macros\": {\"A\": \"1\\n\"}, \"arrays\"", "macros.A = \"1\\n\": expected an identifier"},
      {"\"arrays\"", "\"step_limit\": true, \"arrays\"", "step_limit = true: expected a number or an expression"},
      {"{\"index\": 1, \"array\": \"y\"}", "{\"index\": 31, \"array\": \"y\"}",
       "index = 31: expected an integer from 0 to 30"},
      {"in.npy", "none.npy", "arrays.x=case/none.npy (device const float* x): cannot read"},
      {"unset:8", "unset:8:int32", "arrays.y is int32 [8]: device float* y takes float32"},
      {"unset:8", "unset:", "arrays.y=unset: (device float* y): ''"},
      {"\"grid\": [8]", "\"grid\": []", "passes[0].grid = []: expected a list of one to three extents"},
      {"\"grid\": [8]", "\"grid\": [0]", "passes[0].grid[0] = 0"},
      {"\"array\": \"x\"", "\"array\": \"z\"", "passes[0].buffers[0].array = \"z\": expected the name of one"},
      {"{\"index\": 1, \"array\": \"y\"}", "{\"index\": 0, \"array\": \"y\"}", "an index that is not bound twice"},
      {"{\"index\": 1, \"array\": \"y\"}", "{\"index\": 2, \"array\": \"y\"}",
       "steps.json: passes[0]: buffers 2: add_one does not take it, but buffer(0) device const float* x, buffer(1)"},
      {", {\"index\": 1, \"array\": \"y\"}", "",
       "passes[0]: add_one: buffer(1) device float* y: expected index 1 among its buffers"},
      {"\"offset\": 16", "\"offset\": -1", "passes[2].buffers[0].offset = -1"},
      {"\"offset\": 16", "\"offset\": 32", "must be <"},
      {"\"value\": 2", "\"value\": []", "passes[1].constants[0].value = []"},
      {"\"outputs\": {\"y\"", "\"outputs\": {\"z\"", "output z="},
      {"\"arrays\"", "\"step_limit\": 0, \"arrays\"", "step_limit = 0: expected an integer from 1"},
      {"\"offset\": 16", "\"offset\": 16, \"offset\": 0", "expected each key of an object once, got 'offset' twice"},
      {"\"arrays\"", "\"x\": " + std::string(100000, '[') + std::string(100000, ']') + ", \"arrays\"",
       "expected JSON of at most 100 levels"},
      {"out.npy", "out.txt", "outputs.y = \"out.txt\": expected the path of a .npy file"},
  };
  for (const Wrong& wrong : all) {
    write("case/steps.json", replaced(steps_json, wrong.from, wrong.to));
    expect_refused("metal run case/steps.json --device emulated", wrong.says);
  }
  write("case/steps.json", steps_json);
  EXPECT_THAT(run("metal run case/steps.json --grid 8").err, HasSubstr("beside a script"));
}

}  // namespace
}  // namespace assay::validation
