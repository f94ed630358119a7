// Output that is lost is no success: on a full disk, on a closed descriptor, in each command and each format.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/matchers.h"

namespace assay::validation {
namespace {

const std::string gate = "gate ctc --kernel cpu --generated --reach none --cases 1 --filter '^repeat$'";
const std::string shader =
    "kernel void k(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = 1; }";

class LostOutput : public Program {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
    write("k.metal", "#include <metal_stdlib>\nusing namespace metal;\n" + shader + "\n");
  }
};

TEST_F(LostOutput, EndsEachCommandWithStatus2) {
  ASSERT_EQ(run(gate + " --json run.json").status, 0);
  const std::string dispatch = " k.metal --buffer 0=unset:4 --grid 4";
  const std::vector<std::string> commands = {
      "--help",
      gate,
      gate + " --json -",
      "gate ctc --list",
      "gate ctc --declarations",
      "merge run.json",
      "replay --from run.json",
      "mutants ctc --list",
      "mutants ctc --cases 1 --filter skip-forbidden",
      "gradcheck ctc --cases 1",
      "diagnose " + data("speech.npz"),
      "lattice --word a --frames 2",
      "lattice --word a --frames 2 --json",
      "devices",
      "metal check k.metal",
      "metal check" + dispatch,
      "metal run --device emulated" + dispatch,
      "metal lint k.metal",
      "metal sweep" + dispatch,
  };
  for (const std::string& command : commands) {
    for (const std::string lost : {">/dev/full", ">&-"}) {
      const Outcome outcome = shell("'" ASSAY_PROGRAM "' " + command + " " + lost);
      EXPECT_EQ(outcome.status, 2) << command << lost << "\n" << outcome.err;
      EXPECT_THAT(outcome.err, HasSubstr("standard output cannot be written")) << command << lost;
    }
  }
}

TEST_F(LostOutput, OfAReportEndsTheRunWithStatus2) {
  for (const std::string format : {"--json", "--junit", "--html"})
    expect_refused(gate + " " + format + " /dev/full", "/dev/full: cannot be written: No space left on device");
  expect_refused("metal lint k.metal --sarif /dev/full", "/dev/full: cannot be written");
}

/// The table is on standard error while the JSON is on standard output.
TEST_F(LostOutput, OfTheTableOnStandardErrorEndsTheRunWithStatus2) {
  EXPECT_EQ(shell("'" ASSAY_PROGRAM "' " + gate + " --json - 2>/dev/full").status, 2);
}

TEST_F(LostOutput, IsNotAReportInItsPlace) {
  EXPECT_EQ(shell("'" ASSAY_PROGRAM "' " + gate + " --json run.json >&-").status, 2);
  EXPECT_TRUE(!std::filesystem::exists(folder_ / "run.json") || json("run.json").contains("runs")) << "nor the table";
}

TEST_F(LostOutput, IsNoLossWhereTheReaderHasEnough) {
  const Outcome outcome = shell("'" ASSAY_PROGRAM "' mutants ctc --list | head -1");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
}

}  // namespace
}  // namespace assay::validation
