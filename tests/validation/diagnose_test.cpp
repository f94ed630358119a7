// The diagnosis of a batch: one fault a row, said in plain words; losses to the last digit asked for.
#include "validation/ctc/diagnose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/ctc/batch.h"
#include "validation/ctc/diagnosis/advice.h"
#include "validation/ctc/diagnosis/certified_loss.h"
#include "validation/ctc/diagnosis/dead_end.h"
#include "validation/ctc/diagnosis/report.h"

namespace assay::validation {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// T=6, B=2, C=4, random logits; row 0 has labels 1 2 2 (one repeat) in 6 frames, row 1 label 3 in 4 frames.
CtcCase healthy() {
  CtcCase c;
  c.T = 6;
  c.B = 2;
  c.C = 4;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 6 * 2 * 4; ++i) c.activations.push_back(normal(random));
  c.input_lengths = {6, 4};
  set_targets(c, {{1, 2, 2}, {3}});
  return c;
}

CtcCase concatenated() {
  CtcCase c = healthy();
  c.layout = CtcTargets::concatenated;
  set_targets(c, {{1, 2, 2}, {3}});
  return c;
}

/// log_probs as a float32 kernel makes them: x - max - log(sum), all in float32.
CtcCase with_log_probs(CtcCase c) {
  c.input = CtcInput::log_probs;
  for (auto frame = c.activations.begin(); frame != c.activations.end(); frame += c.C) {
    const float max = *std::max_element(frame, frame + c.C);
    float sum = 0;
    for (auto x = frame; x != frame + c.C; ++x) sum += std::exp(*x - max);
    for (auto x = frame; x != frame + c.C; ++x) *x = *x - max - std::log(sum);
  }
  return c;
}

CtcCase with_probabilities(CtcCase c) {
  c = with_log_probs(c);
  for (float& x : c.activations) x = std::exp(x);
  return c;
}

struct Fault {
  std::string name;
  CtcCase batch;
  std::int64_t row;
  Ailment ailment;
  Severity severity;
  std::string loss;  ///< the loss's text, or empty for a finite one
  std::string text;
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

CtcCase spoilt(CtcCase c, const std::function<void(CtcCase&)>& spoil) {
  spoil(c);
  return c;
}

class DiagnoseFault : public testing::TestWithParam<Fault> {};

TEST_P(DiagnoseFault, IsSaidOfItsRowFirst) {
  const Fault& fault = GetParam();
  const RowDiagnosis row = diagnose(fault.batch, 20)[static_cast<std::size_t>(fault.row)];
  ASSERT_FALSE(row.symptoms.empty());
  EXPECT_EQ(row.symptoms[0].text, fault.text);
  EXPECT_EQ(name_of(row.symptoms[0].ailment), name_of(fault.ailment));
  EXPECT_EQ(row.symptoms[0].severity, fault.severity);
  EXPECT_EQ(row.is_healthy(), fault.severity == Severity::note);
  if (fault.loss.empty()) {
    EXPECT_TRUE(std::isfinite(row.loss));
    EXPECT_NE(row.loss_text.find(" ± "), std::string::npos) << row.loss_text;
  } else {
    EXPECT_EQ(row.loss_text, fault.loss);
  }
}

std::vector<Fault> faults() {
  const auto spoil = [](const std::function<void(CtcCase&)>& f) { return spoilt(healthy(), f); };
  using enum Ailment;
  using enum Severity;
  return {
      {"Blank", spoil([](CtcCase& c) { c.blank = 4; }), 1, bad_blank, fault, "undefined",
       "blank = 4: expected a class in [0, C=4)"},
      {"NegativeFrames", spoil([](CtcCase& c) { c.input_lengths[0] = -1; }), 0, input_length, fault, "undefined",
       "input length -1: expected a length in [0, T=6]"},
      {"FramesAboveT", spoil([](CtcCase& c) { c.input_lengths[0] = 7; }), 0, input_length, fault, "undefined",
       "input length 7: expected a length in [0, T=6]"},
      {"NegativeLabels", spoil([](CtcCase& c) { c.target_lengths[1] = -3; }), 1, target_length, fault, "undefined",
       "target length -3: expected at least 0"},
      {"LabelsAboveS", spoil([](CtcCase& c) { c.target_lengths[1] = 4; }), 1, target_length, fault, "undefined",
       "target length 4: expected at most S=3"},
      {"LabelsPastTheEnd", spoilt(concatenated(), [](CtcCase& c) { c.target_lengths[1] = 2; }), 1, target_length, fault,
       "undefined", "target length 2: 1 are left in the concatenated targets"},
      {"LabelsLost", spoilt(concatenated(), [](CtcCase& c) { c.target_lengths[0] = -1; }), 1, target_length, fault,
       "undefined", "where its labels begin is unknown, for the target length of a row before is wrong"},
      {"LabelsLostPastTheEnd", spoilt(concatenated(), [](CtcCase& c) { c.target_lengths[0] = 100; }), 1, target_length,
       fault, "undefined", "where its labels begin is unknown, for the target length of a row before is wrong"},
      {"LabelsLeftOver", spoilt(concatenated(), [](CtcCase& c) { c.target_lengths[0] = 2; }), 0, labels_left_over,
       doubt, "", "target lengths add up to 3, but 4 labels are given: some row may have the labels of another"},
      {"LabelAboveC", spoil([](CtcCase& c) { c.targets[1] = 4; }), 0, label_out_of_range, fault, "undefined",
       "label 1 is 4: expected a class in [0, C=4)"},
      {"LabelsNegative", spoil([](CtcCase& c) { c.targets[1] = c.targets[2] = -1; }), 0, label_out_of_range, fault,
       "undefined", "label 1 is -1 (and 1 more): expected a class in [0, C=4)"},
      {"LabelIsBlank", spoil([](CtcCase& c) { c.targets[2] = 0; }), 0, label_is_blank, fault, "undefined",
       "label 2 is 0, which is the blank"},
      {"LabelIsOtherBlank", spoil([](CtcCase& c) { c.blank = 3; }), 1, label_is_blank, fault, "undefined",
       "label 0 is 3, which is the blank"},
      {"Infeasible", spoil([](CtcCase& c) { c.input_lengths[0] = 3; }), 0, infeasible, fault, "inf",
       "needs 4 frames: 3 labels + 1 repeat, has 3"},
      {"InfeasibleAsAllowed", spoil([](CtcCase& c) {
         c.input_lengths[1] = 0;
         c.zero_infinity = true;
       }),
       1, infeasible, doubt, "inf, made 0 by zero_infinity", "needs 1 frame: 1 label + 0 repeats, has 0"},
      {"NaN", spoil([](CtcCase& c) { c.activation(3, 1, 2) = c.activation(3, 1, 3) = nan; }), 1, not_a_number, fault,
       "nan", "NaN at frame 3, class 2 (and 1 more)"},
      {"PlusInf", spoil([](CtcCase& c) { c.activation(5, 0, 0) = infinity; }), 0, infinite, fault, "nan",
       "+inf at frame 5, class 0"},
      {"EmptyFrame", spoil([](CtcCase& c) {
         for (int k = 0; k < 4; ++k) c.activation(2, 1, k) = -infinity;
       }),
       1, empty_frame, fault, "nan", "every class is -inf at frame 2: its softmax is 0/0"},
      {"EmptyFramesOfLogProbs",
       spoilt(with_log_probs(healthy()),
              [](CtcCase& c) {
                for (int k = 0; k < 4; ++k) c.activation(1, 1, k) = c.activation(2, 1, k) = -infinity;
              }),
       1, empty_frame, fault, "inf",
       "every class is -inf at frame 1 and 1 more: no alignment has a probability above 0"},
      {"MissingLabel", spoil([](CtcCase& c) {
         for (int t = 0; t < 6; ++t) c.activation(t, 0, 2) = -infinity;
       }),
       0, zero_probability, fault, "inf", "class 2 is -inf in every frame, and label 1 is that class"},
      {"CutAtTheEnd", spoil([](CtcCase& c) { c.activation(3, 1, 0) = c.activation(3, 1, 3) = -infinity; }), 1,
       zero_probability, fault, "inf",
       "classes 0, 3 are -inf at frame 3, where every alignment that is still possible needs one of them"},
      {"NaNInThePadding", spoil([](CtcCase& c) { c.activation(4, 1, 2) = nan; }), 1, padding_not_finite, note, "",
       "NaN at frame 4, class 2, past the input length: harmless to a kernel that stops there"},
      {"LogProbsAsLogits", spoilt(with_log_probs(healthy()), [](CtcCase& c) { c.input = CtcInput::logits; }), 0,
       already_normalised, note, "", "logits are log-probabilities already; the softmax leaves them as they are"},
      {"ProbabilitiesAsLogits", spoilt(with_probabilities(healthy()), [](CtcCase& c) { c.input = CtcInput::logits; }),
       0, looks_like_probabilities, doubt, "",
       "logits look like probabilities: all in [0, 1], and each frame adds up to 1"},
      {"ProbabilitiesAsLogProbs", with_probabilities(healthy()), 1, looks_like_probabilities, doubt, "",
       "log_probs look like probabilities: all in [0, 1], and each frame adds up to 1"},
  };
}

INSTANTIATE_TEST_SUITE_P(Rows, DiagnoseFault, testing::ValuesIn(faults()),
                         [](const auto& instance) { return instance.param.name; });

TEST(Diagnose, FindsNothingInAHealthyBatch) {
  for (const CtcCase& c : {healthy(), concatenated(), with_log_probs(healthy())})
    for (const RowDiagnosis& row : diagnose(c, 10)) {
      EXPECT_TRUE(row.symptoms.empty()) << row.symptoms[0].text;
      EXPECT_GT(row.loss, 0);
    }
  EXPECT_EQ(*diagnose(healthy(), 10)[0].repeats, 1);
}

TEST(Diagnose, JudgesARowByItself) {
  const std::string alone = diagnose(healthy(), 25)[1].loss_text;
  for (const Fault& fault : faults()) {
    if (fault.row != 0 || fault.severity != Severity::fault || fault.name == "LabelsLost") continue;
    EXPECT_EQ(diagnose(fault.batch, 25)[1].loss_text, alone) << fault.name;
  }
}

TEST(Diagnose, TakesAnyClassForTheBlank) {
  const CtcCase first = healthy();
  CtcCase last = first;
  last.blank = 3;
  for (std::int64_t& label : last.targets) label = label == 3 ? 0 : label;
  for (auto frame = last.activations.begin(); frame != last.activations.end(); frame += 4)
    std::swap(frame[0], frame[3]);
  EXPECT_EQ(diagnose(last, 25)[0].loss_text, diagnose(first, 25)[0].loss_text);
  EXPECT_EQ(diagnose(last, 25)[1].loss_text, diagnose(first, 25)[1].loss_text);
}

TEST(Diagnose, PutsTheGravestFirst) {
  CtcCase c = healthy();
  c.activation(5, 1, 0) = nan;  // padding
  for (int t = 0; t < 6; ++t) c.activation(t, 1, 3) = -infinity;
  const RowDiagnosis row = diagnose(c, 5)[1];
  ASSERT_EQ(row.symptoms.size(), 2U);
  EXPECT_EQ(row.symptoms[0].ailment, Ailment::zero_probability);
  EXPECT_EQ(row.symptoms[1].ailment, Ailment::padding_not_finite);
}

TEST(Diagnose, RefusesArraysThatDisagree) {
  CtcCase c = healthy();
  c.activations.pop_back();
  EXPECT_THROW(diagnose(c, 10), std::invalid_argument);
  c = healthy();
  c.targets.pop_back();
  EXPECT_THROW(diagnose(c, 10), std::invalid_argument);
  c = healthy();
  c.input_lengths.push_back(1);
  EXPECT_THROW(diagnose(c, 10), std::invalid_argument);
}

/// A row of one frame per element of `frames`.
CtcCase row_of(CtcInput input, const std::vector<std::vector<float>>& frames, const std::vector<std::int64_t>& labels) {
  CtcCase c;
  c.T = static_cast<std::int64_t>(frames.size());
  c.B = 1;
  c.C = frames.empty() ? 2 : static_cast<std::int64_t>(frames[0].size());
  c.input = input;
  for (const auto& frame : frames) c.activations.insert(c.activations.end(), frame.begin(), frame.end());
  c.input_lengths = {c.T};
  set_targets(c, {labels});
  return c;
}

TEST(CertifiedLoss, HasTheDigitsOfClosedForms) {
  const auto text = [](const CtcCase& row, int digits) { return certified_loss(row, digits).text; };
  constexpr CtcInput logits = CtcInput::logits;
  EXPECT_EQ(text(row_of(logits, {{0, 0, 0, 0}}, {1}), 50),  // ln 4
            "1.3862943611198906188344642429163531361510002687205 ± 1e-49");
  EXPECT_EQ(text(row_of(logits, {{0, 0}, {0, 0}}, {1}), 30),  // ln 4/3: aa, a-, -a of 4
            "0.287682072451780927439219005994 ± 1e-30");
  EXPECT_EQ(text(row_of(logits, {}, {}), 10), "0");
  EXPECT_EQ(text(row_of(logits, {{5}}, {}), 10), "0");
  EXPECT_EQ(text(row_of(CtcInput::log_probs, {{-7, -0.5F}}, {1}), 12), "0.500000000000 ± 1e-12");
  EXPECT_EQ(text(row_of(CtcInput::log_probs, {{-7, -1000}}, {1}), 4), "1000 ± 1e0");
  EXPECT_EQ(text(row_of(logits, {{1e30F, 0}}, {1}), 31),  // float32's 10^30
            "1000000015047466219876688855040 ± 1e0");
  EXPECT_EQ(text(row_of(logits, {{0, 100}}, {1}), 10), "3.720075976e-44 ± 1e-53");  // ln(1 + e^-100)
}

TEST(DeadEnd, IsFoundExactlyWhereTheReferenceFindsNoProbability) {
  std::mt19937 random(11);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int dead = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::int64_t> labels;
    for (int s = below(4); s > 0; --s) labels.push_back(1 + below(2));
    std::vector<std::vector<float>> frames;
    for (int t = 6 + below(3); t > 0; --t) {
      frames.push_back({0, 0, 0});
      for (float& x : frames.back()) x = below(3) == 0 ? -infinity : 0.0F;
    }
    const CtcCase row = row_of(CtcInput::log_probs, frames, labels);
    const bool possible = reference::ctc_row<double>(row.view(), 0).possible;
    const auto why = find_dead_end(row);
    EXPECT_EQ(why.has_value(), !possible);
    dead += !possible;
  }
  EXPECT_GT(dead, 500);
  EXPECT_LT(dead, 2500);
}

TEST(LogProbs, OfFloat32ArithmeticAreNormalisedWhateverTheirScaleAndNumber) {
  std::mt19937 random(3);
  for (const int C : {2, 28, 1000})
    for (const float scale : {0.0F, 1.0F, 30.0F, 3000.0F}) {
      std::normal_distribution<float> normal(5 * scale, scale);
      std::vector<std::vector<float>> frames(5, std::vector<float>(static_cast<std::size_t>(C)));
      for (auto& frame : frames)
        for (float& x : frame) x = normal(random);
      const CtcCase row = with_log_probs(row_of(CtcInput::logits, frames, {1}));
      const std::vector<RowDiagnosis> rows = diagnose(row, 10);
      for (const Symptom& symptom : rows[0].symptoms) ADD_FAILURE() << C << ' ' << scale << ": " << symptom.text;
    }
}

TEST(LogProbs, OfLessPrecisionGetANoteAndLogitsADoubt) {
  CtcCase row = row_of(CtcInput::log_probs, {{-1, -0.4586F}, {-1, -0.4587F}}, {1});
  Symptom symptom = diagnose(row, 10)[0].symptoms.at(0);
  EXPECT_EQ(symptom.severity, Severity::note);
  EXPECT_EQ(symptom.text,
            "log_probs are normalised less well than float32 can: the exponentials of frame 0 add up to "
            "1.00004749");
  row = row_of(CtcInput::log_probs, {{3, -2}, {-4, 1}}, {1});
  symptom = diagnose(row, 10)[0].symptoms.at(0);
  EXPECT_EQ(symptom.severity, Severity::doubt);
  EXPECT_EQ(symptom.text, "log_probs look like logits: the exponentials of frame 0 add up to 20.2208722");
  row = row_of(CtcInput::log_probs, {{1e5F, -2}, {1e5F, 1}}, {1});  // exp overflows
  EXPECT_EQ(diagnose(row, 10)[0].symptoms.at(0).severity, Severity::doubt);
}

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

std::string page_of(const CtcCase& c, int digits, bool colour) {
  std::ostringstream out;
  print_diagnosis(out, c, diagnose(c, digits), colour);
  return out.str();
}

/// `text` without ANSI escapes.
std::string plain(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      out += text[i];
    }
  return out;
}

TEST(Report, FitsThePageAndColoursOnlyWhenAsked) {
  for (const Fault& fault : faults())
    for (const int digits : {1, 30, 300}) {
      const std::string page = page_of(fault.batch, digits, false);
      EXPECT_EQ(page.find('\x1b'), std::string::npos);
      std::istringstream lines(page);
      for (std::string line; std::getline(lines, line);)
        EXPECT_LE(line.size() - static_cast<std::size_t>(std::count(line.begin(), line.end(), '\xc2')), 100U) << line;
      const std::string coloured = page_of(fault.batch, digits, true);
      EXPECT_NE(coloured, page);
      EXPECT_EQ(plain(coloured), page);
    }
}

TEST(Report, CutsALongLossBetweenCharacters) {
  for (int digits = 28; digits < 45; ++digits) {
    const std::string page = page_of(healthy(), digits, false);
    for (std::size_t i = page.find('\xc2'); i != page.npos; i = page.find('\xc2', i + 1)) {
      ASSERT_EQ(page.substr(i, 2), "±") << page;
      ASSERT_EQ(page.substr(i - 1, 4), " ± ") << page;
    }
    EXPECT_NE(page.find(" healthy\n"), std::string::npos) << page;
  }
}

TEST(Report, KeepsItsColumnsWhateverTheLengths) {
  CtcCase c = healthy();
  c.input_lengths = {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  c.target_lengths = c.input_lengths;
  const std::string page = page_of(c, 10, false);
  EXPECT_NE(page.find("\n    0    < 0    < 0       -      -  undefined "), std::string::npos) << page;
  EXPECT_NE(page.find("\n    1 > 10^6 > 10^6       -      -  undefined "), std::string::npos) << page;
  EXPECT_NE(page.find("input length 9223372036854775807: expected a length in [0, T=6]"), std::string::npos) << page;
}

TEST(Report, GivesTheLossOfTheBatch) {
  CtcCase c = row_of(CtcInput::logits, {{0, 0}, {0, 0}}, {1});
  c.reduction = Reduction::sum;
  const std::string page = page_of(c, 10, false);
  EXPECT_NE(page.find("0.2876820725 ± 1e-10"), std::string::npos) << page;
  EXPECT_NE(page.find("1 row, nothing wrong. The loss of the batch, their sum, is 0.287682072."), std::string::npos)
      << page;
}

TEST(Report, SaysOnceWhatIsTrueOfManyRows) {
  CtcCase c = healthy();
  c.blank = -1;
  const std::string page = page_of(c, 10, false);
  EXPECT_NE(page.find("  rows 0, 1   blank = -1: expected a class in [0, C=4)\n"), std::string::npos) << page;
}

}  // namespace
}  // namespace assay::validation
