// User batches: what was written reads back bit for bit.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include "tests/validation/npz_files.h"

namespace assay::validation {
namespace {

TEST(CtcNpz, RoundTripIsBitExactForEveryOption) {
  for (const CtcInput input : {CtcInput::logits, CtcInput::log_probs})
    for (const CtcVariable variable : {CtcVariable::logits, CtcVariable::log_probs})
      for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean})
        for (const CtcTargets layout : {CtcTargets::padded, CtcTargets::concatenated})
          for (const bool option : {false, true}) {
            CtcCase c = small_case();
            c.input = input;
            c.variable = variable;
            c.reduction = reduction;
            c.layout = layout;
            set_targets(c, {{1, 3}, {2}}, -100);
            c.blank = option ? 2 : 0;
            c.zero_infinity = option;
            if (option) c.upstream.assign(reduction == Reduction::none ? 2 : 1, -0.1F);
            expect_same(round_trip(c), c);
          }
}

TEST(CtcNpz, RoundTripKeepsEmptyDimensions) {
  for (const auto& [T, B, S] : {std::array{0, 2, 1}, {3, 0, 2}, {3, 2, 0}, {0, 0, 0}}) {
    CtcCase c;
    c.T = T;
    c.B = B;
    c.C = 4;
    c.S = S;
    c.activations.assign(static_cast<std::size_t>(T * B * 4), 0.5F);
    c.targets.assign(static_cast<std::size_t>(B * S), 1);
    c.input_lengths.assign(static_cast<std::size_t>(B), T);
    c.target_lengths.assign(static_cast<std::size_t>(B), S);
    expect_same(round_trip(c), c);
  }
}

TEST(CtcNpz, RoundTripKeepsWhatIsWrongWithABatch) {
  CtcCase c = small_case();
  c.targets = {-5, 99, 0, std::numeric_limits<std::int64_t>::min()};
  c.input_lengths = {-1, std::numeric_limits<std::int64_t>::max()};
  c.target_lengths = {-7, 1000};
  c.blank = 77;
  c.upstream = {std::numeric_limits<float>::quiet_NaN(), 1};
  expect_same(round_trip(c), c);
}

}  // namespace
}  // namespace assay::validation
