// assay gradcheck: verdicts, what it says of wrong gradients, and the lines that reproduce them.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "tests/cli/program.h"
#include "tests/matchers.h"
#include "validation/core/npz.h"
#include "validation/core/text.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

class GradcheckCommand : public Program {
 protected:
  /// What follows "./assay " in the line that reproduces a failure.
  static std::string reproducer(const std::string& out) {
    const auto at = out.find("./assay gradcheck ");
    if (at == std::string::npos) return "";
    return out.substr(at + 8, out.find('\n', at) - at - 8);
  }

  /// The label 1 in two frames of two classes.
  const std::string line_ =
      "T=2 B=1 C=2 S=1 blank=0 input=logits variable=logits layout=padded reduction=none zero_infinity=0 "
      "input_lengths=2 target_lengths=1 targets=1 upstream= activations=0,0.5,1,0";
};

TEST_F(GradcheckCommand, PassesTheKernelsThatAreRight) {
  for (const auto& [operation, sharp] : {std::pair("ctc", 5), std::pair("cce", 4), std::pair("svd", 3)}) {
    const Outcome outcome = run(std::string("gradcheck ") + operation + " --kernel plain --cases 20");
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    ASSERT_THAT(outcome.out, AllOf(HasSubstr("  pass"), HasSubstr("within their bounds, of ")));
    const auto count = outcome.out.substr(outcome.out.find("bounds, of ") + 11);
    EXPECT_GT(std::stoi(count), 20 + sharp) << "generated, sharp, and those of values that people have";
  }
}

TEST_F(GradcheckCommand, TellsTheVariableInWordsAndInJson) {
  const Outcome outcome = run("gradcheck ctc --kernel fault:variable-ignored --cases 40 --worst 3 --json out.json");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("this is dL/dlogits, you declared dL/dlog_probs"));
  const auto record = json("out.json");
  EXPECT_EQ(record["verdict"], "fail");
  EXPECT_EQ(record["variable"], "this is dL/dlogits, you declared dL/dlog_probs");
  EXPECT_EQ(record["worst_elements"].size(), 3U);
  EXPECT_GT(record["worst_elements"][0]["share"], 1);
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.size() <= 100 || line.find("./assay") != std::string::npos) << line;
}

TEST_F(GradcheckCommand, PrintsALineThatReproduces) {
  for (const char* const fault : {"ctc --kernel fault:sum-for-mean", "cce --kernel fault:gradient-zero",
                                  "svd --kernel fault:ds-ignored", "ctc --kernel fault:variable-ignored"}) {
    const Outcome outcome = run(std::string("gradcheck ") + fault + " --cases 40");
    EXPECT_EQ(outcome.status, 1) << fault;
    const std::string line = reproducer(outcome.out);
    EXPECT_EQ(run(line).status, 1) << line;
    const auto at = line.find("fault:");
    const std::string right = line.substr(0, at) + "plain" + line.substr(line.find(' ', at));
    EXPECT_EQ(run(right).status, 0) << right;
  }
}

TEST_F(GradcheckCommand, JudgesABatchOfTheUsers) {
  write_npz(folder_ / "batch.npz", CtcOperation::from_words(parse_words(line_)));
  const Outcome right = run("gradcheck ctc --kernel plain --input batch.npz");
  EXPECT_EQ(right.status, 0) << right.out;
  EXPECT_THAT(right.out, AllOf(HasSubstr("batch.npz"), HasSubstr("4 elements within their bounds")));
  const Outcome wrong = run("gradcheck ctc --kernel fault:softmax-forgotten --input batch.npz");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.out, HasSubstr("this is dL/dlog_probs, you declared dL/dlogits"));
  EXPECT_EQ(run("gradcheck ctc --kernel plain --case '" + line_ + "'").status, 0);
}

TEST_F(GradcheckCommand, SaysWhereNothingIsJudged) {
  const Outcome outcome = run("gradcheck svd --kernel metal-emulated --cases 4");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, HasSubstr("the kernel has no gradient"));
}

TEST_F(GradcheckCommand, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(run("gradcheck").status, 2);
  EXPECT_EQ(run("gradcheck svm").status, 2);
  const Outcome kernel = run("gradcheck ctc --kernel gpu");
  EXPECT_EQ(kernel.status, 2);
  EXPECT_THAT(kernel.err, HasSubstr("kernel 'gpu' is unknown"));
  EXPECT_EQ(run("gradcheck ctc --input nowhere.npz").status, 2);
  EXPECT_EQ(run("gradcheck ctc --case 'T=2'").status, 2);
  EXPECT_EQ(run("gradcheck ctc --case '" + replaced(line_, "targets=1", "targets=2") + "'").status, 2);
  EXPECT_EQ(run("gradcheck ctc --kernel plain --cases 1 --json nowhere/out.json").status, 2);
}

}  // namespace
}  // namespace assay::validation
