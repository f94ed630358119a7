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

TEST(Npz, RoundTripIsBitExactForEveryOption) {
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

TEST(Npz, RoundTripKeepsEmptyDimensions) {
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

TEST(Npz, RoundTripKeepsWhatIsWrongWithABatch) {
  CtcCase c = small_case();
  c.targets = {-5, 99, 0, std::numeric_limits<std::int64_t>::min()};
  c.input_lengths = {-1, std::numeric_limits<std::int64_t>::max()};
  c.target_lengths = {-7, 1000};
  c.blank = 77;
  c.upstream = {std::numeric_limits<float>::quiet_NaN(), 1};
  expect_same(round_trip(c), c);
}

TEST(Npz, EqualBatchesGiveEqualFiles) {
  const ScratchFile file;
  write_npz(file.path(), small_case());
  const std::string first = file.bytes();
  write_npz(file.path(), small_case());
  EXPECT_EQ(file.bytes(), first);
  EXPECT_EQ(first.substr(10, 4), std::string("\0\0\x21\0", 4));  // of the year 1980, whenever it was written
}

TEST(Npz, WritesNoBatchWhoseSizesDisagree) {
  const ScratchFile file;
  CtcCase c = small_case();
  c.activations.pop_back();
  EXPECT_EQ(complaint([&] { write_npz(file.path(), c); }),
            "float32 [3, 2, 4]: expected 96 bytes of elements, found 92");
  c = small_case();
  c.target_lengths.push_back(1);
  EXPECT_NE(complaint([&] { write_npz(file.path(), c); }), "accepted");
  c = small_case();
  c.C = 0;
  EXPECT_EQ(complaint([&] { write_npz(file.path(), c); }), "C = 0: expected at least 1");
  EXPECT_FALSE(std::filesystem::exists(file.path()));
  EXPECT_NE(complaint([] { write_npz("/no/such/folder/batch.npz", small_case()); }), "accepted");
}

}  // namespace
}  // namespace assay::validation
