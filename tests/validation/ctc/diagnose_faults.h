// Batches with one fault each, and what is to be said of them.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/validation/ctc/diagnose_batches.h"

namespace assay::validation {

struct Fault {
  std::string name;
  CtcCase batch;
  std::int64_t row;
  Ailment ailment;
  Severity severity;
  std::string loss;  ///< the loss's text, or empty for a finite one
  std::string text;
};

inline void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

inline CtcCase spoilt(CtcCase c, const std::function<void(CtcCase&)>& spoil) {
  spoil(c);
  return c;
}

inline std::vector<Fault> faults() {
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
      {"NaNUpstream", spoil([](CtcCase& c) { c.upstream = {1, nan}; }), 1, upstream_not_finite, doubt, "",
       "upstream[1] is nan: the loss does not depend on it, and the row's gradient is NaN or inf"},
      {"InfiniteUpstreamOfAllRows", spoil([](CtcCase& c) { c.upstream = {infinity}; }), 0, upstream_not_finite, doubt,
       "", "upstream[0] is inf: the loss does not depend on it, and the row's gradient is NaN or inf"},
      {"LogProbsAsLogits", spoilt(with_log_probs(healthy()), [](CtcCase& c) { c.input = CtcInput::logits; }), 0,
       already_normalised, note, "", "logits are log-probabilities already; the softmax leaves them as they are"},
      {"ProbabilitiesAsLogits", spoilt(with_probabilities(healthy()), [](CtcCase& c) { c.input = CtcInput::logits; }),
       0, looks_like_probabilities, doubt, "",
       "logits look like probabilities: all in [0, 1], and each frame adds up to 1"},
      {"ProbabilitiesAsLogProbs", with_probabilities(healthy()), 1, looks_like_probabilities, doubt, "",
       "log_probs look like probabilities: all in [0, 1], and each frame adds up to 1"},
  };
}

}  // namespace assay::validation
