// assay metal run and metal check of a script with extents: its numbers are expressions, and what is wrong with one is
// refused by its key.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/npy_files.h"
#include "tests/matchers.h"

namespace assay::validation {
namespace {

const std::string shape_metal = R"(#include <metal_stdlib>
using namespace metal;
struct Shape { uint n; float by; bool negates; };
constant int more [[function_constant(0)]];
kernel void scale(device const float* x, device float* y, constant Shape& shape, uint i [[thread_position_in_grid]]) {
  y[i] = (shape.negates ? -x[i] : x[i]) * shape.by;
}
kernel void add(device float* y, constant uint& step, uint i [[thread_position_in_grid]]) { y[i] += step + more; }
kernel void add_all(device float* y, device const float* t, uint i [[thread_position_in_grid]]) { y[i] += t[i]; }
kernel void copy(device const float* y, device float* z, uint i [[thread_position_in_grid]]) { z[i] = y[i]; }
)";

/// y = 2 x + 1 + 2 + 3; then 10 more for the second half of y. With more than 8 elements, z is a copy of y.
const std::string shape_json = R"({
  "source": "shape.metal",
  "extents": {"N": 8, "H": "N / 2", "by": 2},
  "arrays": {"x": "in.npy", "y": "unset:{N}", "z": "zero:{2 * N}x{H}"},
  "scratch": {"t": {"type": "float", "elements": "H"}},
  "fill": {"t": "5 * by"},
  "constants": [{"index": 0, "type": "int", "value": "N - N"}],
  "structs": {
    "Shape": [{"type": "uint", "value": "N"}, {"type": "float", "value": "by"}, {"type": "bool", "value": false}]
  },
  "passes": [
    {"function": "scale", "groups": ["H"], "group": [2],
     "buffers": [{"index": 0, "array": "x"}, {"index": 1, "array": "y"}, {"index": 2, "struct": "Shape"}]},
    {"repeat": {"variable": "i", "from": "H - 1", "step": -1, "times": "H - 1"}, "passes": [
      {"function": "add", "grid": ["N"],
       "buffers": [{"index": 0, "array": "y"}, {"index": 1, "type": "uint", "value": "i"}]}]},
    {"function": "add_all", "grid": ["H"],
     "buffers": [{"index": 0, "array": "y", "offset": "4 * H"}, {"index": 1, "array": "t"}]},
    {"condition": "N > 8", "function": "copy", "grid": ["N"],
     "buffers": [{"index": 0, "array": "y"}, {"index": 1, "array": "z"}]}
  ],
  "outputs": {"y": "out.npy"}
})";

class MetalExtents : public NpyFiles {
 protected:
  MetalExtents() {
    write("shape.metal", shape_metal);
    write("shape.json", shape_json);
  }
};

TEST_F(MetalExtents, AreTheSizesOfAllThatExpressionsSay) {
  const Outcome outcome = run("metal run shape.json --device emulated");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(floats("out.npy"), (std::vector<float>{8, 10, 12, 14, 26, 28, 30, 32}));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("shape.metal add: 8 x 1 x 1 threads in groups of 8 x 1 x 1, 3 times\n"),
                                 testing::Not(HasSubstr("copy"))));
  EXPECT_EQ(run("metal check shape.json").status, 0);
}

TEST_F(MetalExtents, MayBeReplacedOnTheCommandLine) {
  EXPECT_EQ(run("metal run shape.json --device emulated --extent N=4 --extent by=3").status, 0);
  EXPECT_EQ(floats("out.npy"), (std::vector<float>{4, 7, 25, 28})) << "H is 2: one step of 1, and t is 15";
  const Outcome larger = run("metal check shape.json --extent N=10");
  EXPECT_EQ(larger.status, 1) << "in.npy has 8 elements";
  EXPECT_THAT(larger.out, HasSubstr("memcheck: kernel scale"));
  expect_refused("metal check shape.json --extent M=4",
                 "--extent M=4: expected one of \"extents\" of shape.json: N, H, by");
  expect_refused("metal check shape.json --extent N=four", "--extent N=four: expected NAME=NUMBER");
  expect_refused("metal check shape.metal --kernel add --grid 1 --extent N=4", "--extent N=4: expected a script");
}

TEST_F(MetalExtents, LeaveScratchUnsetThatNothingFills) {
  write("shape.json", replaced(shape_json, R"("fill": {"t": "5 * by"},)", ""));
  const Outcome outcome = run("metal check shape.json");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("initcheck: kernel add_all"), HasSubstr("`t`")));
}

TEST_F(MetalExtents, TheArraysOfAnOperationAreTheGates) {
  expect_refused("metal check " ASSAY_TEST_SHADERS "/ctc.json",
                 "operation = \"ctc\": expected a file with arrays of its own; `assay gate ctc --kernel ");
}

TEST_F(MetalExtents, AreRefusedByTheKeyWhereTheyMeanNothing) {
  struct Wrong {
    std::string from, to, says;
  };
  const std::vector<Wrong> all = {
      {R"("N / 2")", R"("N / 3")",
       "scratch.t.elements = \"H\" is 2.6666666666666665 at H=2.6666666666666665: expected"},
      {R"("N / 2")", R"("M / 2")", "extents.H = \"M / 2\""},
      {R"("grid": ["H"])", R"("grid": ["H - 4"])",
       "passes[2].grid[0] = \"H - 4\" is 0 at H=4: expected an integer from 1"},
      {R"("grid": ["H"])", R"("grid": ["H"], "groups": [1])", "expected one of grid, in threads, groups"},
      {R"("grid": ["H"])", R"("grid": ["i"])", "passes[2].grid[0] = \"i\""},
      {"unset:{N}", "unset:{N", "arrays.y = \"unset:{N\": expected a } behind each {"},
      {"unset:{N}", "unset:{N - 8}", "arrays.y=unset:0 (device float* y): '0': expected a count"},
      {R"("value": "i")", R"("value": "i - 2")",
       "passes[1].passes[0].buffers[1].value is -1: expected what uint holds"},
      {R"("value": "i")", R"("value": -1)", "passes[1].passes[0].buffers[1].value = -1: expected what uint holds"},
      {R"("type": "uint", "value": "i")", R"("type": "int", "value": "i")",
       "the values are int, 4 bytes, and add takes"},
      {R"({"type": "bool", "value": false})", R"({"type": "double", "value": 0})", "expected one of float, half"},
      {R"("type": "float", "elements")", R"("type": "half", "elements")",
       "t is half, and add_all takes buffer(1) device const float* t: expected scratch.t.type = \"float\""},
      {R"("fill": {"t")", R"("fill": {"y")", "fill.y = \"5 * by\": expected the value of an output or a scratch"},
      {R"("scratch": {"t")", R"("scratch": {"x")", "expected a name that no other array has"},
      {R"("elements": "H")", R"("elements": "2^50")", "scratch.t.elements = \"2^50\" is"},
      {R"("elements": "H")", R"("elements": "2^34")", "a quarter of this machine's memory"},
      {R"("times": "H - 1")", R"("times": 1000001)", "times = 1000001: expected an integer from 0 to 1000000"},
      {R"("from": "H - 1", "step": -1, "times": "H - 1")", R"("times": 600000)", "expected at most 1000000 passes"},
      {R"("value": "i")", R"("value": "i", "offset": 4)", "buffers[1].offset = 4: expected an array beside it"},
      {R"("variable": "i")", R"("variable": "N")", "variable = \"N\": expected a name that stands for nothing yet"},
      {R"("type": "int", "value": "N - N")", R"("type": "int", "value": "N / 3")",
       "is 2.6666666666666665: expected what int"},
  };
  for (const Wrong& wrong : all) {
    write("shape.json", replaced(shape_json, wrong.from, wrong.to));
    expect_refused("metal check shape.json", wrong.says);
  }
}

}  // namespace
}  // namespace assay::validation
