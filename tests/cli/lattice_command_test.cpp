// assay lattice: the numbers of the derivation as tables and as JSON, and what it refuses.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/program.h"
#include "tests/matchers.h"
#include "validation/steps/steps.h"

namespace assay::validation {
namespace {

class LatticeCommand : public Program {
 protected:
  nlohmann::json json(const std::string& arguments) const {
    const Outcome outcome = run("lattice --json " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }
};

TEST_F(LatticeCommand, ShowsFractionsThatAHandCanFollow) {
  const Outcome outcome = run("lattice --word a --outputs '1/2,1/2;1/3,2/3' --number exact");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("p                     5/6\n"));  // aa, -a, a-
  EXPECT_THAT(outcome.out, HasSubstr("   1 a              1/2         2/3\n"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("alpha (6, 7)"), HasSubstr("dL/dlogits, directly (16)")));
  EXPECT_EQ(json("--word a --outputs '1/2,1/2;1/3,2/3' --number exact")["p"], "5/6");
}

TEST_F(LatticeCommand, AnswersAsTheStepsDo) {
  const std::string request =
      R"({"labels":[1,1],"blank":0,"logits":[[0,1],[2,0],[0,1.5]],"number":"half","space":"log"})";
  std::ofstream(folder_ / "request.json") << request;
  EXPECT_EQ(run("lattice --request request.json").out, ctc_steps(request) + "\n");
  EXPECT_EQ(shell("'" ASSAY_PROGRAM "' lattice --request - < request.json").out, ctc_steps(request) + "\n");
  EXPECT_EQ(run("lattice --json --word aa --logits '0,1;2,0;0,1.5' --number half --space log").out,
            ctc_steps(request) + "\n");
}

TEST_F(LatticeCommand, ScalesTheLogits) {
  EXPECT_EQ(json("--word ab --logits '1,0,2;0,1,0' --scale 10"), json("--word ab --logits '10,0,20;0,10,0'"));
  EXPECT_NE(json("--word ab --logits '1,0,2;0,1,0' --scale 10"), json("--word ab --logits '1,0,2;0,1,0'"));
}

TEST_F(LatticeCommand, ReadsTheSpeechBatch) {
  EXPECT_THAT(json("--logits speech")["loss"].get<std::string>(), HasSubstr("0.0031196215709"));
  EXPECT_EQ(json("--logits speech"), json("--logits speech --word hello --classes all --frames 13"));
}

TEST_F(LatticeCommand, MarksWhatUnderflowed) {
  const std::string improbable = "lattice --word a --logits '0,-8;0,-8' --scale 10 --number half";
  EXPECT_THAT(run(improbable).out, AllOf(HasSubstr(" 0*"), HasSubstr("* underflowed: not 0 with 50 digits")));
  EXPECT_THAT(run(improbable + " --space log").out, Not(HasSubstr("*  ")));
  EXPECT_THAT(run("lattice --word a --logits '0,-8;0,-8' --scale 10 --number 50").out, Not(HasSubstr("underflowed")));
}

TEST_F(LatticeCommand, ListsTheAlignmentsTheMostProbableFirst) {
  const Outcome outcome = run("lattice --alignments --word a --outputs '1/3,2/3;1/2,1/2' --number exact");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("alignments            3\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  a-  1/3\n  aa  1/3\n  -a  1/6\nsum                   5/6\n"));
  EXPECT_THAT(run("lattice --alignments --logits speech").out,
              AllOf(HasSubstr("alignments            19448\n"), HasSubstr("Too many sequences"),
                    HasSubstr("best\n  -hel-lloo----  0.")));
}

TEST_F(LatticeCommand, SaysWhyAWordDoesNotFit) {
  EXPECT_THAT(run("lattice --word hello --frames 4").out,
              HasSubstr("'hello' needs 6 frames: 5 for its labels, and 1 for the blank between each pair of equal "
                        "neighbours.\nIn 4 frames no alignment spells it: p is 0 and the loss infinite.\n"));
  EXPECT_THAT(run("lattice --word cat --frames 2 --alignments").out, HasSubstr("needs 3 frames: 3 for its labels.\n"));
  EXPECT_THAT(run("lattice --word hello --frames 6").out, Not(HasSubstr("needs")));
}

TEST_F(LatticeCommand, KeepsToAHundredColumns) {
  for (const char* const arguments :
       {"--logits speech --space log", "--word abcdefgh --frames 16 --number bfloat16",
        "--logits speech --scale 50 --number 50", "--word '' --frames 2", "--word hello --frames 4"}) {
    const Outcome outcome = run(std::string("lattice ") + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100) << line;
  }
}

TEST_F(LatticeCommand, RefusesWithTheArgumentAndWhatWasExpected) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"--word c4t", "--word = 'c4t': expected letters a to z and spaces"},
      {"--word cat --logits '1,2'", "--logits: frame 0 has 2 numbers: expected 4"},
      {"--word a --logits '1,x'", "--logits: 'x': expected a number"},
      {"--word a --logits '1,2' --frames 3", "--frames = 3: expected 1"},
      {"--frames 0", "--frames"},
      {"--classes some", "--classes"},
      {"--number quarter", "number = \"quarter\": expected half"},
      {"--number 5", "digits = 5: expected"},
      {"--space lin", "space = lin: expected probability, log or scaled"},
      {"--number exact", "an exponential is no fraction"},
      {"--outputs '1,0' --word a --logits uniform", "excludes"},
      {"--request nowhere.json", "--request = 'nowhere.json': expected a file"},
      {"--request - --word cat", "excludes"},
  };
  for (const auto& [arguments, says] : bad) {
    const Outcome outcome = run("lattice " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(says)) << arguments;
    EXPECT_THAT(outcome.out, IsEmpty()) << arguments;
  }
}

}  // namespace
}  // namespace assay::validation
