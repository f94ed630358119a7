// Losses to the last digit asked for; rows without alignments; what activations look like.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "reference/ctc/batch.h"
#include "tests/validation/ctc/diagnose_batches.h"
#include "validation/ctc/diagnosis/certified_loss.h"
#include "validation/ctc/diagnosis/dead_end.h"

namespace assay::validation {
namespace {

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

}  // namespace
}  // namespace assay::validation
