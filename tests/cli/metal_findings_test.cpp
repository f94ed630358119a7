// Where the findings of assay metal go: SARIF, annotations, JSON; what a comment allows; sweeps over barriers; chosen
// threadgroups of large grids.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/matchers.h"

namespace assay::validation {
namespace {

const std::string any_positive = R"(#include <metal_stdlib>
using namespace metal;
kernel void any_positive(device const float* in [[buffer(0)]], device uint* found [[buffer(1)]],
                         uint i [[thread_position_in_grid]]) {
  if (in[i] > 0) found[0] = 1;
}
)";
const std::string racing_line = "  if (in[i] > 0) found[0] = 1;", comment = "  // assay: allow racecheck - all write 1";
const std::string check_any = "metal check any.metal --buffer 0=random:64 --buffer 1=zero:1 --grid 64 --group 64";

const std::string group_sum = R"(#include <metal_stdlib>
#include "sum.h"
using namespace metal;
kernel void group_sum(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                      uint tid [[thread_position_in_threadgroup]], uint gid [[thread_position_in_grid]],
                      uint group [[threadgroup_position_in_grid]]) {
  threadgroup float partial[64];
  partial[tid] = in[gid];
  const float sum = sum_of_group(partial, tid);
  threadgroup_barrier(mem_flags::mem_none);
  if (tid == 0) out[group] = sum;
}
)";
const std::string sum_of_group = R"(inline float sum_of_group(threadgroup float* partial, uint tid) {
  for (uint width = 32; width > 0; width /= 2) {
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (tid < width) partial[tid] += partial[tid + width];
  }
  metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
  return partial[0];
}
)";

class MetalFindings : public Program {};

TEST_F(MetalFindings, AreWrittenAsSarifAndAsAnnotations) {
  write("any.metal", any_positive);
  const Outcome outcome = run(check_any + " --sarif found.sarif --github");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("both write the same value"), HasSubstr("\n  to mend it, "),
                    HasSubstr("::error file=any.metal,line=5,col=27,title=racecheck::kernel any_positive: ")));
  const auto results = json("found.sarif")["runs"][0]["results"];
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0]["ruleId"], "racecheck");
  const auto place = results[0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "any.metal");
  EXPECT_EQ(place["region"], (nlohmann::json{{"startLine", 5}, {"startColumn", 27}}));
  EXPECT_FALSE(results[0].contains("suppressions"));
}

/// The compiler's cache holds no folder: the same text in another one is reported there.
TEST_F(MetalFindings, NameTheFileAsItWasGiven) {
  for (const std::string& folder : std::vector<std::string>{"one", "another"}) {
    std::filesystem::create_directory(folder_ / folder);
    write(folder + "/any.metal", any_positive);
    const Outcome outcome = shell("cd " + folder + " && '" ASSAY_PROGRAM "' " + check_any);
    EXPECT_THAT(outcome.out, HasSubstr("    at any.metal:5:27\n"));
  }
}

TEST_F(MetalFindings, AreAllowedByACommentWithAReason) {
  for (const std::string& text : {replaced(any_positive, racing_line, racing_line + comment),
                                  replaced(any_positive, racing_line, comment + "\n" + racing_line)}) {
    write("any.metal", text);
    const Outcome outcome = run(check_any + " --sarif found.sarif --github --json found.json");
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr(": all write 1\n"), HasSubstr("nothing found, 1 allowed"), Not(HasSubstr("::error"))));
    const auto suppressions = json("found.sarif")["runs"][0]["results"][0]["suppressions"];
    EXPECT_EQ(suppressions, nlohmann::json::parse(R"([{"kind": "inSource", "justification": "all write 1"}])"));
    EXPECT_TRUE(json("found.json")["reports"].empty());
    EXPECT_EQ(json("found.json")["allowed"][0]["reason"], "all write 1");
  }
}

TEST_F(MetalFindings, AreNotAllowedByACommentElsewhereOrOfAnotherCheck) {
  for (const std::string& text :
       {replaced(any_positive, racing_line, racing_line + "\n" + comment),
        replaced(any_positive, racing_line, racing_line + "  // assay: allow memcheck - no")}) {
    write("any.metal", text);
    EXPECT_EQ(run(check_any).status, 1);
  }
}

TEST_F(MetalFindings, AreAllowedByAFileOfSuppressions) {
  write("any.metal", any_positive);
  write("allowed.txt", "racecheck any.metal:5 - all write 1\n");
  const Outcome outcome = run(check_any + " --suppress allowed.txt --sarif found.sarif");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("nothing found, 1 allowed"));
  EXPECT_EQ(json("found.sarif")["runs"][0]["results"][0]["suppressions"],
            nlohmann::json::parse(R"([{"kind": "external", "justification": "all write 1"}])"));
  write("allowed.txt", "racecheck any.metal:4 - another line\n");
  EXPECT_EQ(run(check_any + " --suppress allowed.txt").status, 1);
  write("allowed.txt", "racecheck any.metal\n");
  expect_refused(check_any + " --suppress allowed.txt",
                 "--suppress allowed.txt:1: expected 'CHECK FILE:LINE - REASON'");
  EXPECT_EQ(run(check_any + " --suppress none.txt").status, 2);
}

TEST_F(MetalFindings, RefuseACommentWithoutAReason) {
  for (const std::string bad :
       {"// assay: allow racecheck", "// assay: allow racecheck -  ", "// assay: allow race - x"}) {
    write("any.metal", replaced(any_positive, racing_line, racing_line + bad));
    const Outcome outcome = run(check_any);
    EXPECT_EQ(outcome.status, 2) << bad;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("any.metal:5: expected '// assay: allow CHECK - REASON'"))) << bad;
  }
}

TEST_F(MetalFindings, OfTheCompilerAndOfLint) {
  write("any.metal", replaced(any_positive, "in[i]", "inn[i]"));
  EXPECT_EQ(run(check_any + " --sarif found.sarif").status, 1);
  EXPECT_EQ(json("found.sarif")["runs"][0]["results"][0]["ruleId"], "compile");
  const std::string wrong = "  thread uint* mine = found;\n";
  write("any.metal", replaced(any_positive, racing_line, wrong + racing_line));
  const Outcome refused = run("metal lint any.metal --json found.json --github");
  EXPECT_EQ(refused.status, 1) << refused.out;
  EXPECT_THAT(refused.out, AllOf(HasSubstr("any.metal: 1 found"), HasSubstr("::error file=any.metal,line=5,")));
  const auto finding = json("found.json")["findings"][0];
  EXPECT_EQ(finding["rule"], "lint");
  EXPECT_EQ(finding["line"], 5);
  EXPECT_FALSE(finding["advice"].get<std::string>().empty());
  write("any.metal", replaced(any_positive, racing_line, "  // assay: allow lint - a trial\n" + wrong + racing_line));
  const Outcome allowed = run("metal lint any.metal");
  EXPECT_EQ(allowed.status, 0) << allowed.out;
  EXPECT_THAT(allowed.out, AllOf(HasSubstr("allowed: a trial"), HasSubstr("nothing found, 1 allowed")));
}

const std::string sweep_sum = "metal sweep sum.metal --buffer 0=random:64 --buffer 1=unset:1 --grid 64 --group 64";

TEST_F(MetalFindings, SweepNamesTheBarrierThatNobodyNeeds) {
  write("sum.metal", group_sum);
  write("sum.h", sum_of_group);
  const Outcome outcome = run(sweep_sum + " --json sweep.json");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("sum.h:3:5: deleted: initcheck at sum.h:4:"),
                                 HasSubstr("sum.metal:10:3: deleted: not noticed"),
                                 HasSubstr("sum.metal: 6 of 7 changes to barriers are noticed")));
  const auto changes = json("sweep.json")["changes"];
  ASSERT_EQ(changes.size(), 7U);
  EXPECT_EQ(changes[0]["check"], "initcheck");
  EXPECT_TRUE(changes[6]["check"].is_null());
  EXPECT_EQ(changes[6]["line"], 10);
}

TEST_F(MetalFindings, SweepOfNeededBarriersPassesAndOfAFaultyKernelDoesNot) {
  write("sum.metal", replaced(group_sum, "  threadgroup_barrier(mem_flags::mem_none);\n", ""));
  write("sum.h", sum_of_group);
  EXPECT_EQ(run(sweep_sum).status, 0);
  write("sum.h", replaced(sum_of_group, "mem_threadgroup", "mem_device"));
  const Outcome faulty = run(sweep_sum);
  EXPECT_EQ(faulty.status, 1);
  EXPECT_THAT(faulty.out, HasSubstr("the unchanged source is reported:\nracecheck"));
  EXPECT_EQ(run("metal sweep sum.metal").status, 2);
}

const std::string fill = R"(#include <metal_stdlib>
using namespace metal;
kernel void fill(device float* out [[buffer(0)]], constant uint& width [[buffer(1)]],
                 uint row [[thread_position_in_grid]]) {
  out[row * width] = row;
}
)";

/// 16 GiB and a little: 2^32 + 2^20 elements.
TEST_F(MetalFindings, OfAnIndexThatOverflowsNeedOnlyChosenThreadgroups) {
  const std::string check =
      "metal check fill.metal --buffer 0=zero:4296015872 --buffer 1=1048576 --grid 4097 --group 1";
  write("fill.metal", fill);
  const Outcome outcome = run(check + " --only-groups 0,last");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("threads of two threadgroups"), HasSubstr("fill.metal:5:20")));
  EXPECT_EQ(run(check + " --only-groups 0-7").status, 0) << "the last threadgroup does not run";
  write("fill.metal", replaced(fill, "row * width", "ulong(row) * width"));
  EXPECT_EQ(run(check + " --only-groups 0,4095-last").status, 0);
  for (const std::string bad : {"x", "3-1", "-1", "1-"}) {
    expect_refused(check + " --only-groups=" + bad, "--only-groups " + bad);
  }
}

}  // namespace
}  // namespace assay::validation
