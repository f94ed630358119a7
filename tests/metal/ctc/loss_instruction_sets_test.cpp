// The same bits with every instruction set that this machine has, forced down to the baseline, in every storage type.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/metal/ctc/large_batch.h"

namespace assay::metal {
namespace {

using cpu::InstructionSet;
using cpu::Path;

template <class Real>
void expect_same_bits(const Batch& batch) {
  for (const Path path : {Path::scaled, Path::extended}) {
    const auto baseline = run_as<Real>(batch, path, InstructionSet::baseline);
    for (const InstructionSet set : cpu::instruction_sets())
      EXPECT_TRUE(run_as<Real>(batch, path, set) == baseline) << static_cast<int>(set);
  }
}

void expect_same_bits_in_every_type(const Batch& batch) {
  expect_same_bits<float>(batch);
  expect_same_bits<Half>(batch);
  expect_same_bits<BFloat16>(batch);
}

TEST(CtcLossInstructionSets, AreThoseOfThisMachineInRisingOrder) {
  const auto sets = cpu::instruction_sets();
  EXPECT_EQ(sets.front(), InstructionSet::baseline);
  EXPECT_EQ(sets.back(), cpu::fastest_instruction_set());
  for (std::size_t i = 1; i < sets.size(); ++i) EXPECT_LT(sets[i - 1], sets[i]);
#if defined(__x86_64__)
  EXPECT_EQ(sets.size() > 1, __builtin_cpu_supports("avx2") != 0);
#endif
}

TEST(CtcLossInstructionSets, GiveTheSameBitsAtEveryNumberOfClasses) {
  for (std::int64_t C = 2; C <= 34; ++C)
    expect_same_bits_in_every_type(normal_batch(2, 20, C, std::min<std::int64_t>(C, 9), 3.0F));
  expect_same_bits_in_every_type(normal_batch(2, 20, 5000, 9, 1.0F));
}

TEST(CtcLossInstructionSets, GiveTheSameBitsAtEveryNumberOfLabels) {
  for (std::int64_t S = 0; S <= 34; ++S) expect_same_bits<float>(normal_batch(1, 80, 13, S, 1.0F));
  expect_same_bits<float>(normal_batch(3, 150, 28, 70, 1.0F));
}

TEST(CtcLossInstructionSets, GiveTheSameBitsAtTheEdges) {
  expect_same_bits_in_every_type(normal_batch(1, 300, 28, 100, 50.0F));
  expect_same_bits_in_every_type(confident_batch(500, 30, 100, 20.0F));
  Batch batch = normal_batch(3, 40, 9, 10, 2.0F);
  batch.options.input = CtcInput::log_probs;
  batch.at(3, 0, 1) = -std::numeric_limits<float>::infinity();
  batch.at(4, 1, 1) = 1000.0F;
  batch.at(5, 1, 2) = -1e30F;
  for (const CtcVariable variable : {CtcVariable::logits, CtcVariable::log_probs}) {
    batch.options.variable = variable;
    batch.upstream = {1.0F, -0.5F, 3.0F};
    expect_same_bits<float>(batch);
    expect_same_bits<BFloat16>(batch);
  }
}

// Gradients about the smallest and the largest numbers of each type.
TEST(CtcLossInstructionSets, RoundExtremeGradientsAlike) {
  Batch batch = normal_batch(1, 40, 28, 10, 4.0F);
  for (const float weight : {-1e-44F, 1e-38F, 1e-7F, -6e-5F, 65504.0F, 3e38F}) {
    batch.upstream = {weight};
    expect_same_bits<float>(batch);
    expect_same_bits<BFloat16>(batch);
    if (weight <= 65504.0F) expect_same_bits<Half>(batch);
  }
}

// The refusal of each set's own sweep.
TEST(CtcLossInstructionSets, AllRefuseWhatIsNoNumber) {
  for (const InstructionSet set : cpu::instruction_sets())
    for (const std::int64_t C : {1, 7, 8, 9, 33})
      for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        Batch batch(5, C, {{}});
        batch.at(3, 0, C - 1) = bad;
        EXPECT_THROW(run_as<float>(batch, Path::scaled, set), std::invalid_argument);
        EXPECT_THROW(run_as<Half>(batch, Path::scaled, set), std::invalid_argument);
        EXPECT_THROW(run_as<BFloat16>(batch, Path::scaled, set), std::invalid_argument);
      }
}

/// Loss and gradient from 16-bit activations are those from the same numbers as float32, the gradient rounded once.
template <class Real>
void expect_float_result(const Batch& original, double unit_roundoff) {
  Batch batch = original;
  for (float& activation : batch.activations) activation = Real(activation);
  const auto stored = run_as<Real>(batch, Path::scaled, cpu::fastest_instruction_set());
  const auto as_float = run_on(batch, Path::scaled);
  EXPECT_EQ(stored.loss, as_float.loss);
  for (std::size_t i = 0; i < stored.gradient.size(); ++i) {
    const double exact = as_float.gradient[i], got = stored.gradient[i];
    const double smallest = Real::from_bits(1);
    EXPECT_LE(std::fabs(got - exact), (unit_roundoff + 0x1p-23) * std::fabs(exact) + smallest / 2) << i;
  }
}

TEST(CtcLossInstructionSets, SixteenBitTypesGiveTheResultOfTheirFloats) {
  for (const std::int64_t C : {5, 8, 28, 100}) {
    expect_float_result<Half>(normal_batch(2, 60, C, 20, 2.0F), 0x1p-11);
    expect_float_result<BFloat16>(normal_batch(2, 60, C, 20, 2.0F), 0x1p-8);
  }
}

}  // namespace
}  // namespace assay::metal
