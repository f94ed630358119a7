// The exponentials of a row and its frames' normalizers, as the inner loops leave them for the recursions: those of
// eight frames at a time are, bit for bit, those of each frame alone.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "metal/cpu/ctc/kernels.h"
#include "metal/cpu/memory.h"
#include "metal/cpu/simd/masks.h"
#include "tests/metal/ctc/large_batch.h"

namespace assay::metal {
namespace {

using cpu::InstructionSet;

/// The emissions and the normalizers' scales of row 0, as bits, computed in pieces of `each` frames.
std::vector<std::uint64_t> emissions_of(const Batch& batch, InstructionSet set, std::size_t each) {
  const CtcProblem<float> problem = batch.problem();
  const cpu::RowSizes sizes = cpu::row_sizes(problem, false);
  cpu::Arena measure;
  cpu::take_row(measure, sizes);
  const cpu::AlignedBytes memory(measure.used());
  cpu::Arena arena(static_cast<std::byte*>(memory.data()));
  const cpu::RowWorkspace workspace = cpu::take_row(arena, sizes);
  std::vector<reference::Targets> labels(batch.input_lengths.size());
  reference::target_rows(problem, labels);
  const cpu::Row<float> row = {problem, 0, labels[0], 1.0, {}};
  const cpu::States states = cpu::begin_row(row, workspace);
  for (std::size_t t = 0; t < row.T(); t += each)
    cpu::table_for<cpu::Kernels<float>>(set).emissions(row, workspace, states, {t, std::min(row.T(), t + each)});
  std::vector<std::uint64_t> bits;
  for (const double e : workspace.emissions.first(row.T() * cpu::emission_stride(states.K())))
    bits.push_back(std::bit_cast<std::uint64_t>(e));
  for (const cpu::Normalizer& normalizer : workspace.normalizers.first(row.T()))
    bits.push_back(std::bit_cast<std::uint64_t>(normalizer.scale));
  return bits;
}

void expect_frames_are_independent(const Batch& batch) {
  const auto alone = emissions_of(batch, InstructionSet::baseline, 1);
  for (const InstructionSet set : cpu::instruction_sets())
    for (const std::size_t each : {1U, 8U, 11U, 100U})
      EXPECT_EQ(emissions_of(batch, set, each), alone) << static_cast<int>(set) << " in pieces of " << each;
}

TEST(CtcEmissions, OfEightFramesAreThoseOfEachFrame) {
  for (const std::int64_t C : {2, 7, 8, 9, 15, 16, 28, 31, 32, 33, 100})
    expect_frames_are_independent(normal_batch(1, 21, C, 3, 4.0F));
}

TEST(CtcEmissions, AreIndependentWhereALogitIsUnusual) {
  for (const float logit : {64.0F, -64.0F, 64.5F, -64.5F, 1e30F, -std::numeric_limits<float>::infinity()})
    for (const std::int64_t t : {0, 12, 20}) {
      Batch batch = normal_batch(1, 21, 28, 3, 4.0F);
      batch.at(t, 0, 27) = logit;
      expect_frames_are_independent(batch);
    }
}

TEST(CtcEmissions, AddUpToOne) {
  const Batch batch = normal_batch(1, 21, 28, 3, 4.0F);
  const auto bits = emissions_of(batch, cpu::fastest_instruction_set(), 21);
  const std::size_t stride = cpu::emission_stride(28);
  for (std::size_t t = 0; t < 21; ++t) {
    double sum = 0.0;
    for (std::size_t k = 0; k < stride; ++k) sum += std::bit_cast<double>(bits[t * stride + k]);
    EXPECT_NEAR(sum * std::bit_cast<double>(bits[21 * stride + t]), 1.0, 0x1p-49) << t;
  }
}

}  // namespace
}  // namespace assay::metal
