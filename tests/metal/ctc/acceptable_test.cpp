// Which activations each instruction set takes: every place of a frame, every storage type, all kinds of numbers.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "metal/cpu/ctc/kernels.h"
#include "metal/cpu/half.h"
#include "tests/limits.h"

namespace assay::metal {
namespace {

using cpu::InstructionSet;
using reference::CtcInput;

using tests::infinity, tests::nan;

/// Two frames of three rows, the last of which has one frame.
template <class Real>
struct Frames {
  std::int64_t C;
  std::vector<Real> activations;
  std::vector<std::int64_t> lengths = {2, 2, 1};

  explicit Frames(std::int64_t classes)
      : C(classes), activations(static_cast<std::size_t>(2 * 3 * classes), Real(0.5F)) {}

  Real& at(std::int64_t t, std::int64_t b, std::int64_t c) {
    return activations[static_cast<std::size_t>((t * 3 + b) * C + c)];
  }

  bool are_acceptable(InstructionSet set, CtcInput input = CtcInput::logits) const {
    reference::CtcProblem<Real> problem;
    problem.T = 2, problem.B = 3, problem.C = C;
    problem.input = input;
    problem.activations = activations;
    problem.input_lengths = lengths;
    return cpu::table_for<cpu::Kernels<Real>>(set).acceptable(problem, {0, 2});
  }
};

template <class Real>
class CtcAcceptable : public testing::Test {};
using Types = testing::Types<float, Half, BFloat16>;
TYPED_TEST_SUITE(CtcAcceptable, Types);

TYPED_TEST(CtcAcceptable, NoNanAndNoInfinityInAnyPlace) {
  for (const InstructionSet set : cpu::instruction_sets())
    for (const std::int64_t C : {1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100})
      for (std::int64_t c = 0; c < C; ++c)
        for (const float bad : {nan, -nan, infinity}) {
          Frames<TypeParam> frames(C);
          EXPECT_TRUE(frames.are_acceptable(set));
          frames.at(1, 1, c) = TypeParam(bad);
          EXPECT_FALSE(frames.are_acceptable(set)) << C << " " << c << " " << bad;
          EXPECT_FALSE(frames.are_acceptable(set, CtcInput::log_probs)) << C << " " << c << " " << bad;
        }
}

TYPED_TEST(CtcAcceptable, AnyNumberAndMinusInfinityAmongOthers) {
  const float largest = std::is_same_v<TypeParam, Half> ? 65504.0F : 3.0e38F;
  for (const InstructionSet set : cpu::instruction_sets())
    for (const std::int64_t C : {2, 16, 33, 64})
      for (const float good : {0.0F, -0.0F, largest, -largest, 1e-40F, -1e-40F, -infinity})
        for (std::int64_t c = 0; c < C; ++c) {
          Frames<TypeParam> frames(C);
          frames.at(0, 2, c) = TypeParam(good);
          EXPECT_TRUE(frames.are_acceptable(set)) << C << " " << c << " " << good;
        }
}

TYPED_TEST(CtcAcceptable, OfLogitsOneOfAFrameIsFinite) {
  for (const InstructionSet set : cpu::instruction_sets())
    for (const std::int64_t C : {1, 8, 33, 70}) {
      Frames<TypeParam> frames(C);
      for (std::int64_t c = 0; c < C; ++c) frames.at(1, 0, c) = TypeParam(-infinity);
      EXPECT_FALSE(frames.are_acceptable(set));
      EXPECT_TRUE(frames.are_acceptable(set, CtcInput::log_probs));
      frames.at(1, 0, C - 1) = TypeParam(-1.0F);
      EXPECT_TRUE(frames.are_acceptable(set));
    }
}

TYPED_TEST(CtcAcceptable, WhatIsPastTheEndOfARowIsNotLookedAt) {
  for (const InstructionSet set : cpu::instruction_sets()) {
    Frames<TypeParam> frames(33);
    for (std::int64_t c = 0; c < 33; ++c) frames.at(1, 2, c) = TypeParam(nan);
    EXPECT_TRUE(frames.are_acceptable(set));
    frames.lengths[2] = 2;
    EXPECT_FALSE(frames.are_acceptable(set));
  }
}

}  // namespace
}  // namespace assay::metal
