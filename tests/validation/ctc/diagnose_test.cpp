// The diagnosis of a batch: one fault a row, said in plain words.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "tests/validation/ctc/diagnose_faults.h"

namespace assay::validation {
namespace {

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

}  // namespace
}  // namespace assay::validation
