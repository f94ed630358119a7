// What a diagnosis advises: the next thing to do, for the rows that need it.
#include <gtest/gtest.h>

#include <string>

#include "tests/validation/ctc/diagnose_batches.h"
#include "validation/ctc/diagnosis/advice.h"
#include "validation/ctc/diagnosis/report.h"

namespace assay::validation {
namespace {

std::string advice_of(const CtcCase& c) {
  std::string all;
  for (const std::string& sentence : advise(c, diagnose(c, 5))) all += sentence + '\n';
  return all;
}

TEST(Advice, SaysHowToShiftLabelsThatStartAtTheBlank) {
  CtcCase c = healthy();
  c.targets = {0, 1, 2, 2, -1, -1};
  for (int t = 0; t < 6; ++t) c.activation(t, 0, 3) = c.activation(t, 1, 3) = 9;
  EXPECT_EQ(
      advice_of(c),
      "Your labels start at 0, which is the blank: shift them by one, or, if class 3 is the blank, set blank = 3. "
      "Class 3 is the largest in 100 % of the frames; in a trained network that is the blank.\n");
}

TEST(Advice, TellsPaddingFromLabels) {
  CtcCase c = healthy();
  c.targets[2] = -1;
  EXPECT_EQ(advice_of(c),
            "In row 0 the labels out of range stand at the end, as padding does: the target length counts it.\n");
  c.targets[2] = 0;
  EXPECT_EQ(advice_of(c), "In row 0 the blanks stand at the end, as padding does: the target length counts it.\n");
}

TEST(Advice, SaysWhatToDoAboutRowsWithoutAlignments) {
  CtcCase c = healthy();
  c.input_lengths = {2, 0};
  EXPECT_EQ(advice_of(c), "Set zero_infinity, or drop rows 0, 1, or give more frames (less subsampling).\n");
  c.zero_infinity = true;
  EXPECT_EQ(advice_of(c).substr(0, 34), "Nothing is learnt from rows 0, 1: ");
}

TEST(Advice, ComputesTheSubsamplingThatLengthsAskFor) {
  CtcCase c = healthy();
  c.input_lengths = {24, 13};
  EXPECT_NE(advice_of(c).find("the longest, 24, asks for a factor of at least 4"), std::string::npos) << advice_of(c);
}

TEST(Advice, HasNothingForAHealthyBatch) {
  EXPECT_EQ(advice_of(healthy()), "");
}

TEST(Notes, OnActivationsAreThoseOfTheDiagnosis) {
  EXPECT_EQ(notes_on_activations(healthy()), std::vector<std::string>());
  EXPECT_EQ(notes_on_activations(with_log_probs(healthy())), std::vector<std::string>());
  CtcCase c = healthy();
  c.input = CtcInput::log_probs;
  const std::vector<std::string> notes = notes_on_activations(c);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].find("rows 0, 1: log_probs look like logits: the exponentials of frame "), 0U) << notes[0];
  EXPECT_EQ(notes[0].substr(std::string("rows 0, 1: ").size()), diagnose(c, 5)[0].symptoms[0].text);
}

TEST(Advice, NamesRowsInRuns) {
  EXPECT_EQ(name_rows({}), "");
  EXPECT_EQ(name_rows({3}), "row 3");
  EXPECT_EQ(name_rows({3, 4}), "rows 3, 4");
  EXPECT_EQ(name_rows({0, 2, 3, 4, 7}), "rows 0, 2-4, 7");
}

TEST(Float32Remark, SpeaksOnlyWhereProbabilitiesUnderflow) {
  EXPECT_EQ(float32_remark(diagnose(healthy(), 5)), "");
  const CtcCase row = row_of(CtcInput::log_probs, {{-0.1F, -1000}}, {1});
  EXPECT_EQ(
      float32_remark(diagnose(row, 5)),
      "float32: p is below 2^-126 in row 0 (2^-1443 in row 0), so that plain probabilities underflow and the loss "
      "comes out inf; logarithms hold it, but ln p only to 6e-05.");
}

}  // namespace
}  // namespace assay::validation
