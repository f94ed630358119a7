// assay metal run: arrays go from .npy through a kernel to .npy, and what cannot be run is refused by name.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/npy_files.h"
#include "tests/matchers.h"
#include "validation/core/npy.h"

namespace assay::validation {
namespace {

/// out[i] = factor * sum of in[j], j <= i, among the threads of a group; `count[0]` counts the threads.
const std::string prefix_sum = R"(#include <metal_stdlib>
using namespace metal;
constant int factor [[function_constant(3)]];
kernel void prefix(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                   device atomic_uint* count [[buffer(2)]], threadgroup float* shared [[threadgroup(0)]],
                   uint tid [[thread_position_in_threadgroup]], uint gid [[thread_position_in_grid]]) {
  shared[tid] = in[gid];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float sum = 0;
  for (uint i = 0; i <= tid; ++i) sum += shared[i];
  out[gid] = sum * float(factor);
  atomic_fetch_add_explicit(&count[0], 1u, memory_order_relaxed);
}
kernel void scale(device half4* x [[buffer(0)]], constant float& by [[buffer(1)]],
                  uint gid [[thread_position_in_grid]]) {
  x[gid] *= half(by);
}
)";

const std::string prefix_of_8 =
    "metal run k.metal --device emulated --kernel prefix --grid 8 --group 4 --threadgroup-memory 0=16 "
    "--constant 3=10 --buffer 0=in.npy --buffer 1=unset:2x4 --buffer 2=zero:1 ";

class MetalRunCommand : public NpyFiles {
 protected:
  MetalRunCommand() { write("k.metal", prefix_sum); }
};

TEST_F(MetalRunCommand, RunsFromNpyToNpy) {
  const Outcome outcome = run(prefix_of_8 + "--output 1=out.npy --output 2=count.npy");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("k.metal prefix: 8 x 1 x 1 threads in groups of 4 x 1 x 1\n"),
                                 HasSubstr("checked on Assay emulator: nothing found\n"),
                                 HasSubstr("out.npy: float32 [2, 4]\n"), HasSubstr("count.npy: uint32 [1]\n")));
  EXPECT_EQ(read("out.npy").header.summary(), "float32 [2, 4]");
  EXPECT_EQ(floats("out.npy"), (std::vector<float>{10, 30, 60, 100, 50, 110, 180, 260}));
  EXPECT_EQ(npy_integers(read("count.npy")), (std::vector<std::int64_t>{8}));
}

TEST_F(MetalRunCommand, DoesNotReplaceTheFileThatItComparesWith) {
  EXPECT_EQ(run(prefix_of_8 + "--output 1=out.npy").status, 0);
  const auto expected = floats("out.npy");
  std::string faulty = prefix_sum;
  faulty.replace(faulty.find("i <= tid"), 8, "i < tid ");
  write("k.metal", faulty);
  const Outcome outcome = run(prefix_of_8 + "--output 1=./out.npy --expect 1=out.npy");
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("./out.npy: kept, since --expect compares with it\n"), HasSubstr("differ")));
  EXPECT_EQ(floats("out.npy"), expected);
}

TEST_F(MetalRunCommand, FillsAnArgumentBufferWithArrays) {
  write("k.metal",
        "struct Buffers { device const float* in; device float* out; };\n"
        "kernel void twice(constant Buffers& all [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
        "  all.out[i] = 2 * all.in[i];\n}\n");
  const std::string twice = "metal run k.metal --device emulated --grid 8 --buffer 0=buffers:p,q --array p=in.npy ";
  const Outcome outcome = run(twice + "--array q=unset:8:float32 --output q=out.npy");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(floats("out.npy"), (std::vector<float>{2, 4, 6, 8, 10, 12, 14, 16}));
  EXPECT_THAT(run(twice + "--array p=in.npy").err, HasSubstr("--array p=in.npy: expected NAME=..., with a name"));
  EXPECT_THAT(run(twice + "--array q").err, HasSubstr("--array q: expected NAME=..."));
  EXPECT_THAT(run(twice).err, HasSubstr("--buffer 0=buffers:...: there is no array 'q', expected one of 0, p"));
}

TEST_F(MetalRunCommand, MakesTexturesOfArraysAndWritesThemBack) {
  write("k.metal",
        "#include <metal_stdlib>\nusing namespace metal;\n"
        "kernel void half_size(texture2d<float> in, texture2d<float, access::write> out, sampler s,\n"
        "                      uint2 at [[thread_position_in_grid]]) {\n"
        "  out.write(in.sample(s, (float2(at) + 0.5) / float2(out.get_width(), out.get_height())), at);\n}\n");
  write("image.npy", format_npy({{'u', 1, false, false, {2, 4}}, std::string("\x00\x02\x04\x06\x02\x04\x06\xFF", 8)}));
  const std::string smaller = "metal run k.metal --device emulated --grid 2,1 ", image = "--texture 0=image.npy ";
  const Outcome outcome =
      run(smaller + image + "--texture 1=unset:1x2:uint8 --sampler 0=linear --output texture1=out.npy");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(read("out.npy").header.summary(), "uint8 [1, 2]");
  EXPECT_EQ(npy_integers(read("out.npy")), (std::vector<std::int64_t>{2, 68}));
  write("twice.json", R"({"source": "k.metal", "arrays": {"in": "image.npy", "out": "unset:1x2:float32"},
      "passes": [{"grid": [2], "textures": [{"index": 0, "array": "in"}, {"index": 1, "array": "out"}],
                  "samplers": [{"index": 0, "sampler": "linear,pixel"}]}],
      "outputs": {"out": "out.npy"}})");
  EXPECT_EQ(run("metal run twice.json --device emulated").status, 0);
  EXPECT_EQ(floats("out.npy"), (std::vector<float>{0, 1.0F / 4 * 2 / 255}));
  const std::vector<std::pair<std::string, std::string>> bad = {
      {image + "--texture 1=unset:2", "half_size: sampler(0) sampler s: expected --sampler 0="},
      {image + "--sampler 0=linear", "texture(1) texture2d<float, access::write> out: expected --texture 1="},
      {image + "--texture 1=unset:2 --sampler 0=linear",
       "--texture 1 is float32 [2]: texture2d<float, access::write> out takes height, width, and 1, 2 or 4 channels"},
      {image + "--texture 1=unset:1x2x3 --sampler 0=linear", "--texture 1 is float32 [1, 2, 3]"},
      {image + "--texture 1=unset:1x2:int64 --sampler 0=linear", "--texture 1 is int64 [1, 2]: expected float32"},
      {image + "--texture 1=unset:1x2:int32 --sampler 0=linear", "it cannot hold numbers of type int32"},
      {image + "--texture 1=unset:1x2 --sampler 0=cubic", "sampler 0=cubic: 'cubic': expected linear or nearest"},
  };
  for (const auto& [arguments, word] : bad) {
    expect_refused(smaller + arguments, word);
  }
}

TEST_F(MetalRunCommand, FillsATableOfFunctionsAndPrintsMessages) {
  write("k.metal",
        "#include <metal_stdlib>\n#include <metal_logging>\nusing namespace metal;\n"
        "[[visible]] float twice(float x) { return 2 * x; }\n[[visible]] float half_of(float x) { return x / 2; }\n"
        "kernel void call(device float* x, visible_function_table<float(float)> table, uint i "
        "[[thread_position_in_grid]]) {\n"
        "  x[i] = table[i % 2](x[i]);\n  if (i == 7) os_log_default.log(\"%.1f\", x[i]);\n}\n");
  const std::string call = "metal run k.metal --device emulated --grid 8 --buffer 0=in.npy ";
  const Outcome outcome = run(call + "--buffer 1=functions:twice,half_of --output 0=out.npy --json out.json");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(floats("out.npy"), (std::vector<float>{2, 1, 6, 2, 10, 3, 14, 4}));
  EXPECT_THAT(outcome.out, HasSubstr("k.metal:8:34: thread (7, 0, 0) of the grid: 4.0\n"));
  EXPECT_EQ(json("out.json")["messages"][0]["text"], "4.0");
  EXPECT_THAT(run(call + "--buffer 1=1,2").err, HasSubstr("expected functions:NAME,..."));
  EXPECT_THAT(run(call + "--buffer 1=functions:none").err, HasSubstr("function none: expected one of"));
}

TEST_F(MetalRunCommand, WritesAnInputThatTheKernelChangesInItsOwnTypeAndShape) {
  write("x.npy", format_npy({{'f', 2, false, false, {2, 4}},
                             std::string("\x00\x3c\x00\x40\x00\x3c\x00\x40"
                                         "\x00\x44\x00\x44\x00\x44\x00\x44",
                                         16)}));
  const Outcome outcome = run(
      "metal run k.metal --device emulated --kernel scale --grid 2 --buffer 0=x.npy --buffer 1=0.5 --output 0=y.npy");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(read("y.npy").header.summary(), "float16 [2, 4]");
  EXPECT_EQ(floats("y.npy"), (std::vector<float>{0.5F, 1, 0.5F, 1, 2, 2, 2, 2}));
  EXPECT_EQ(floats("x.npy"), (std::vector<float>{1, 2, 1, 2, 4, 4, 4, 4}));
}

TEST_F(MetalRunCommand, OnTheEmulatorReportsWhatItsChecksFind) {
  write("k.metal", replaced(prefix_sum, "  threadgroup_barrier(mem_flags::mem_threadgroup);\n", ""));
  const Outcome outcome = run(prefix_of_8 + "--json found.json");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("racecheck: kernel prefix"), HasSubstr("k.metal:9:")));
  const auto found = json("found.json");
  EXPECT_FALSE(found["reports"].empty());
  EXPECT_EQ(found["arrays"]["1"], (nlohmann::json{{"dtype", "float32"}, {"shape", {2, 4}}}));
}

TEST_F(MetalRunCommand, SaysWhatDoesNotCompileAndWritesNothing) {
  write("k.metal", replaced(prefix_sum, "shared[tid] = in", "shared[tod] = in"));
  const Outcome outcome = run(prefix_of_8 + "--output 1=out.npy");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("k.metal:7"), HasSubstr("tod")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.npy"));
}

TEST_F(MetalRunCommand, RefusesBadUsageWithStatus2) {
  write("double.npy", format_npy(npy_array(std::vector<double>(8), {8})));
  const NpyArray columns{{'f', 4, false, true, {2, 4}}, std::string(32, '\0')};
  write("columns.npy", format_npy(columns));
  const NpyArray big{{'f', 4, true, false, {8}}, std::string(32, '\0')};
  write("big.npy", format_npy(big));
  write("cut.npy", format_npy(columns).substr(0, 150));
  const auto with = [](const std::string& from, const std::string& to) { return replaced(prefix_of_8, from, to); };
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"metal run", "file"},
      {"metal run k.metal", "--grid"},
      {with("in.npy", "none.npy"), "none.npy"},
      {with("in.npy", "double.npy"), "--buffer 0=double.npy (device const float* in): dtype 'float64'"},
      {with("in.npy", "columns.npy"), "--buffer 0=columns.npy (device const float* in): float32 [2, 4] in Fortran"},
      {with("in.npy", "big.npy"), "--buffer 0=big.npy (device const float* in): >f4 [8]: expected little endian"},
      {with("in.npy", "cut.npy"), "--buffer 0=cut.npy (device const float* in): float32 [2, 4]: expected 32 bytes"},
      {with("--kernel prefix", ""), "k.metal has 2 kernels"},
      {with("--kernel prefix", "--kernel other"), "other"},
      {with("--buffer 1=unset:2x4", ""), "prefix: buffer(1) device float* out: expected --buffer 1="},
      {with("unset:2x4", "unset:2x4:float64"), "Metal has no double"},
      {prefix_of_8 + "--buffer 4=1", "--buffer 4: prefix does not take it"},
      {prefix_of_8 + "--output 5=x.npy", "output 5=x.npy: expected one of 0, 1, 2"},
      {prefix_of_8 + "--output 1=x.bin", "--output 1=x.bin: expected ARRAY=PATH.npy"},
      {prefix_of_8 + "--output 1=none/x.npy", "none/x.npy"},
      {with("emulated", "gpu"), "--device"},
      {prefix_of_8 + "--against gpu", "--against"},
      {prefix_of_8 + "--expect 0=in.npy", "--expect 0=in.npy: expected an array that a kernel may write"},
      {prefix_of_8 + "--expect 1=in.npy", "in.npy: float32 [8]: expected float32 [2, 4]"},
      {prefix_of_8 + "--expect 1=none.npy", "none.npy"},
      {prefix_of_8 + "--expect 1=in.bin", "--expect 1=in.bin: expected ARRAY=PATH.npy"},
      {prefix_of_8 + "--ulps -1", "--ulps"},
      {with("--group 4", "--group 2000"), "2000"},
  };
  for (const auto& [arguments, words] : bad) expect_refused(arguments, words);
}

TEST_F(MetalRunCommand, ComparesWithAFile) {
  struct Planted {
    std::size_t at;
    float value;
    std::string ulps;
    int status;
    std::string says;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const std::vector<Planted> all = {
      {0, 10, "0", 0, "1 (float32 [2, 4]): all of 8 elements are equal"},
      {7, std::nextafter(260.0F, 0.0F), "0", 1,
       "1 of 8 elements differ, 1 by more than 0 ULP\n  first at [1, 3]: 1 ULP"},
      {7, std::nextafter(260.0F, 0.0F), "1", 0, "1 of 8 elements differ, 0 by more than 1 ULP"},
      {3, nan, "1000000", 1, "first at [0, 3]: no number of ULP apart"},
      {4, infinity, "1000000", 1, "first at [1, 0]: no number of ULP apart"},
  };
  for (const Planted& planted : all) {
    std::vector<float> expected = {10, 30, 60, 100, 50, 110, 180, 260};
    expected[planted.at] = planted.value;
    write("expected.npy", format_npy(npy_array(expected, {2, 4})));
    const Outcome outcome = run(prefix_of_8 + "--expect 1=expected.npy --json out.json --ulps " + planted.ulps);
    EXPECT_EQ(outcome.status, planted.status) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(planted.says));
    const auto found = json("out.json");
    EXPECT_EQ(found["comparisons"][0]["outside"], planted.status);
  }
}

TEST_F(MetalRunCommand, ComparesWithAnotherDevice) {
  const Outcome outcome = run(prefix_of_8 + "--against emulated");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("1 (float32 [2, 4]): all of 8 elements are equal"),
                                 HasSubstr("2 (uint32 [1]): all of 1 elements are equal")));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("0 (float32")));
  // What only the other device's checks find fails too.
  write("k.metal", replaced(prefix_sum, "  threadgroup_barrier(mem_flags::mem_threadgroup);\n", ""));
  EXPECT_EQ(run(prefix_of_8 + "--against emulated").status, 1);
}

TEST_F(MetalRunCommand, RefusesADeviceThatIsNotToBeHadAndSaysWhy) {
  for (const std::string device : {"apple", "nvidia"}) {
    if (!shell("'" ASSAY_PROGRAM "' devices | grep '" + device + " *not available'").status) {
      expect_refused(replaced(prefix_of_8, "emulated", device), "--device " + device + ": ");
    }
  }
}

}  // namespace
}  // namespace assay::validation
