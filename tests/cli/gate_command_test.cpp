// assay gate: passes the kernel that is shipped, fails one that is broken, and leaves a line to replay it by.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "metal/device/or_throw.h"
#include "metal/emulator/compile/clang.h"
#include "tests/cli/program.h"
#include "tests/matchers.h"
#include "tests/plugin_metal/shader_folder.h"
#include "validation/core/npz.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

class GateCommand : public Program {};

TEST_F(GateCommand, PassesTheShippedKernelQuickly) {
  const Outcome outcome = run("gate --quick --kernel cpu");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("kernel cpu, 40 generated cases a property (seed 1), reference at 50 digits"));
  EXPECT_THAT(outcome.out, HasSubstr("given: speech.npz"));
  EXPECT_THAT(outcome.out, HasSubstr("worst margin: 0."));
  EXPECT_THAT(outcome.out, ContainsRegex("cpu: 0 of [0-9]+ properties failed, 0 mistrusted"));
  EXPECT_THAT(replay_lines(outcome.out), IsEmpty());
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST_F(GateCommand, JudgesTheKernelForCpusUnlessOneIsNamedAndSaysWhatJudgesTheOneInMetal) {
  const std::string gate = "gate svd --quick --reach none --cases 3 --filter '^refusals$'";
  const Outcome outcome = run(gate);
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("cpu: 0 of 1 properties failed"), Not(HasSubstr("metal-emulated"))));
  EXPECT_THAT(outcome.err, HasSubstr("assay gate svd --kernel metal-emulated\n"));
  const Outcome in_metal = run(gate + " --kernel metal-emulated");
  EXPECT_EQ(in_metal.status, 0) << in_metal.out;
  EXPECT_THAT(in_metal.out, HasSubstr("metal-emulated: 0 of 1 properties failed"));
  EXPECT_THAT(in_metal.err, IsEmpty());
}

/// One refusal, and no case that fails and is shrunk.
TEST_F(GateCommand, RefusesAKernelThatCannotBeLinkedHere) {
  const std::string clang = metal::or_throw(metal::emulator::find_clang()).path;
  write("clang", "#!/bin/sh\nPATH=/nowhere exec $(command -v " + clang + ") \"$@\"\n");
  const std::string here = "chmod +x clang; export ASSAY_CLANG=\"$PWD/clang\" XDG_CACHE_HOME=\"$PWD/cache\"; ";
  const Outcome refused = shell(here + "'" ASSAY_PROGRAM "' gate svd --quick --reach none --cases 3 " +
                                "--filter '^refusals$' --kernel metal-emulated");
  EXPECT_EQ(refused.status, 2) << refused.out;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("cannot link a shared library: install a linker"), HasSubstr("\"ld\"")));
  EXPECT_THAT(refused.out, Not(HasSubstr("reproduce with")));
}

TEST_F(GateCommand, NamesTheArithmeticsInWhichAKernelFailsAndWhere) {
  const transport::test::ShaderFolder folder("cce");
  folder.edit_source("loss[n] = lse - row[target];", "loss[n] = lse - row[target] * tanh(50.0f + upstream[n] * 0);");
  const Outcome outcome =
      run("gate cce --generated --reach none --cases 8 --filter '^loss$' --arithmetic all --kernel " +
          folder.binding() + " --json r");
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(
      outcome.out,
      ContainsRegex("\nsafe: pass\nrelaxed: loss fails at cce.metal:[0-9]+\nfast: loss fails at cce.metal:[0-9]+\n$"));
  EXPECT_THAT(outcome.out, HasSubstr("  why, each operation followed\n    numcheck: kernel losses: exp(100) makes"));
  const auto report = json("r");
  const auto why = report["runs"][2]["properties"][0]["failure"]["why"];
  EXPECT_THAT(why["place"], testing::StartsWith("cce.metal:"));
  EXPECT_EQ(why["sources"][0]["file"], "cce.metal");
  EXPECT_THAT(why["sources"][0]["marks"][0]["note"].get<std::string>(), testing::EndsWith("; inf / inf = NaN"));
  EXPECT_EQ("cce.metal:" + to_string(why["sources"][0]["marks"][0]["line"]), why["place"]);
}

TEST_F(GateCommand, SaysTheSameTwice) {
  const auto but_for_time = [](std::string text) { return text.substr(0, text.rfind(", in ")); };
  EXPECT_EQ(but_for_time(run("gate --quick --reach none --kernel cpu --seed 7").out),
            but_for_time(run("gate --quick --reach none --kernel cpu --seed 7").out));
  EXPECT_NE(but_for_time(run("gate --quick --reach none --kernel cpu --seed 7").out),
            but_for_time(run("gate --quick --reach none --kernel cpu --seed 8").out));
}

TEST_F(GateCommand, JudgesTheChosenPropertiesAlone) {
  const Outcome outcome = run("gate --quick --reach none --kernel cpu --filter '^(shift|permutation)$'");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("cpu: 0 of 2 properties failed"));
  EXPECT_EQ(run("gate --quick --reach none --filter shift --kernel fault:skip-over-repeat").status, 0)
      << "a shift of the logits does not show that fault";
}

/// A batch that is no problem says nothing about a kernel.
TEST_F(GateCommand, RefusesABatchThatIsNone) {
  const Outcome outcome = run("gate --input " + data("broken.npz"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("broken.npz"));
  EXPECT_THAT(outcome.err, HasSubstr("assay diagnose"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("fail")));
}

/// A kernel that takes log_probs is right, and the batch may not be what was meant.
TEST_F(GateCommand, NotesLogProbsThatAreNotNormalised) {
  CtcCase c = CtcOperation::sized_case(6, 4, 2, 1, 1);
  c.input = CtcInput::log_probs;
  write_npz(folder_ / "batch.npz", c);
  const std::string note = "note: row 0: log_probs look like logits: the exponentials of frame ";
  for (const std::string command : {"gate ctc --filter '^loss$'", "gradcheck ctc"}) {
    const Outcome outcome = run(command + " --kernel cpu --input batch.npz");
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(note)) << command;
  }
}

TEST_F(GateCommand, NamesAFileThatIsNoBatch) {
  for (const auto& [content, says] : std::vector<std::pair<std::string, std::string>>{
           {"\x93NUMPY\x01 ",
            "a .npy file, which holds one array; to make an .npz of it: numpy.savez('batch.npz', NAME="},
           {"1,2,3\n", "a text; to make an .npz of it: numpy.savez("},
           {"", "an empty file"}}) {
    write("batch", content);
    for (const std::string command : {"gate ctc --input", "gradcheck ctc --input"})
      expect_refused(command + " batch", "batch: expected an .npz, which holds arrays by name; this is " + says);
    EXPECT_THAT(run("diagnose batch").out, HasSubstr("this is " + says));
  }
  EXPECT_THAT(run("diagnose .").out, HasSubstr("this is a folder"));
}

TEST_F(GateCommand, NamesWhatEachPropertyReached) {
  const std::string options = " --kernel cpu --generated --cases 0 --filter ";
  const Outcome cce = run("gate cce --reach quick" + options + "'^(loss|reductions|far-tokens)$'");
  EXPECT_EQ(cce.status, 0) << cce.out;
  EXPECT_THAT(cce.out,
              ContainsRegex("N 131073 by 2 of 3 properties, .*all terms by reductions\n      none by far-tokens"));
  EXPECT_THAT(cce.out, ContainsRegex("V 131073 by 1 of 3 properties, .*all terms by loss\n"));
  EXPECT_THAT(cce.out,
              HasSubstr("not reached: loss and gradients of tokens past 2^32 elements by far-tokens: no case"));
  EXPECT_THAT(run("gate cce --reach full" + options + "'^far-tokens$'").out,
              HasSubstr("loss and gradients of tokens past 2^32 elements by far-tokens"));
}

/// A failure that no line of text holds comes as a file, whose line replays all the same.
TEST_F(GateCommand, WritesALargeFailureToAFileThatReplays) {
  CtcCase c = CtcOperation::sized_case(40, 40, 34, 1, 1);
  std::vector<std::int64_t> labels(34);
  std::iota(labels.begin(), labels.end(), std::int64_t{1});
  set_targets(c, {labels});  // all different: no class can be left out
  write_npz(folder_ / "batch.npz", c);
  const Outcome outcome = run("gate --input batch.npz --kernel fault:label-limit --filter '^loss$'");
  EXPECT_EQ(outcome.status, 1);
  const auto lines = replay_lines(outcome.out);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_THAT(lines[0], HasSubstr(" file=assay-failures/loss-"));
  EXPECT_EQ(run(lines[0]).status, 1);
  EXPECT_EQ(run(replaced(lines[0], "kernel=fault:label-limit", "kernel=cpu")).status, 0);
}

}  // namespace
}  // namespace assay::validation
