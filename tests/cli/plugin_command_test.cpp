// assay gate and replay on plug-ins: what hangs and what overruns is a verdict with a line that replays it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "metal/device/or_throw.h"
#include "metal/device/read_file.h"
#include "metal/emulator/compile/clang.h"
#include "tests/cli/program.h"
#include "tests/matchers.h"

namespace assay::validation {
namespace {

class PluginCommand : public Program {
 protected:
  PluginCommand() {
    for (const char* const name :
         {"minimal", "writes_behind", "hangs", "prints", "newer_version", "every_seventh_call"})
      std::filesystem::copy(std::string(ASSAY_TEST_PLUGINS "/") + name + ".so", folder_);
  }
};

TEST_F(PluginCommand, JudgesALibraryThatIsNamed) {
  const Outcome outcome = run("gate ctc --quick --reach none --cases 10 --kernel ./minimal.so");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("assay gate ctc: kernel ./minimal.so"));
  EXPECT_THAT(outcome.out, HasSubstr("./minimal.so: 0 of "));
}

TEST_F(PluginCommand, ReplaysAFailure) {
  const Outcome outcome =
      run("gate ctc --quick --reach none --cases 5 --kernel writes_behind.so --filter '^(gradient|repeat)$'");
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("past its "));
  EXPECT_THAT(outcome.out, HasSubstr("writes_behind.so: 2 of 2 properties failed"));
  const auto lines = replay_lines(outcome.out);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[0], HasSubstr("kernel=writes_behind.so"));
  EXPECT_EQ(run(lines[0]).status, 1);
  EXPECT_EQ(run(replaced(lines[0], "writes_behind.so", "./minimal.so")).status, 0);
}

/// A line that replays the case alone would pass without a word: the line carries the calls before it.
TEST_F(PluginCommand, ReproducesAFailureThatDependsOnHistoryByItsSequence) {
  const Outcome outcome =
      run("gate ctc --generated --reach none --cases 30 --seed 3 --kernel ./every_seventh_call.so --filter 'loss$' "
          "--json run.json");
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("this case alone passes: the kernel's result depends on earlier calls"));
  const auto lines = replay_lines(outcome.out);
  ASSERT_THAT(lines, SizeIs(1)) << outcome.out;
  EXPECT_THAT(lines[0], HasSubstr(" times=7 "));
  EXPECT_EQ(run(lines[0]).status, 1);
  EXPECT_EQ(run(replaced(lines[0], " times=7 ", " times=6 ")).status, 0);
  EXPECT_EQ(run("replay --from run.json").status, 1);
}

constexpr const char* naive_source = R"(#include <math.h>
#include "assay_plugin.h"
static int run(const assay_cce_problem* p, const assay_cce_output* out, char* message, size_t size) {
  const auto* hidden = static_cast<const float*>(p->hidden);
  for (int64_t n = 0; n < p->N; ++n) out->loss[n] = logf(expf(hidden[n]));
  return ASSAY_OK;
}
extern "C" const assay_cce_kernel assay_cce = {ASSAY_HEADER(assay_cce_kernel), .name = nullptr, .run = run};
)";

TEST_F(PluginCommand, IsReportedAsShadersAre) {
  write("naive.cpp", naive_source);
  const std::string clang = metal::or_throw(metal::emulator::find_clang()).path;
  const std::string options = " -std=c++20 -shared -fPIC -I " ASSAY_PLUGIN_HEADER " -x none naive.cpp -o naive.so";
  EXPECT_EQ(run("instrument " + clang + options).status, 2);  // -x
  EXPECT_EQ(run("instrument " + clang + replaced(options, "-x none ", "")).status, 0);
  const Outcome outcome =
      run("replay 'operation=cce property=loss kernel=./naive.so N=1 H=1 V=1 dtype=float32 ignore_index=-100 "
          "logit_softcap=0 label_smoothing=0 z_loss=0 reduction=none targets=0 upstream= hidden=99 weight=1 bias=' "
          "--explain --json r.json --html r.html --sarif r.sarif");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("numcheck: kernel assay_cce: exp(99) makes an infinity"));
  EXPECT_THAT(outcome.out, HasSubstr("loss[0] is inf"));
  const auto found = json("r.json");
  EXPECT_EQ(found["reports"][0]["event"]["line"], 5);
  EXPECT_EQ(found["numerics"][0]["kernel"], "assay_cce");
  const auto sarif = json("r.sarif");
  EXPECT_EQ(sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"], 5);
  EXPECT_THAT(metal::or_throw(metal::read_file(folder_ / "r.html")),
              HasSubstr("out-&gt;loss[n] = logf(expf(hidden[n]));"));
}

TEST_F(PluginCommand, EndsACallThatHangs) {
  const Outcome outcome =
      run("replay --time-limit 0.2 'property=loss kernel=./hangs.so T=1 B=1 C=2 S=0 blank=0 input=logits "
          "variable=logits layout=padded reduction=none zero_infinity=0 input_lengths=1 target_lengths=0 targets= "
          "upstream= activations=0,0'");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, AnyOf(HasSubstr("did not return within 0.2 s"), HasSubstr("did not return within 1.2 s")));
}

TEST_F(PluginCommand, ShowsNothingOfWhatALibraryPrints) {
  const Outcome outcome = run("gate ctc --quick --reach none --cases 5 --kernel ./prints.so --filter '^loss$'");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("property pass")));
}

TEST_F(PluginCommand, RefusesALibraryThatIsNone) {
  expect_refused("gate --kernel ./none.so", "there is no such file");
  expect_refused("gate --kernel ./newer_version.so", "version 2");
  expect_refused("gate svd --kernel ./minimal.so", "it exports assay_ctc");
}

}  // namespace
}  // namespace assay::validation
