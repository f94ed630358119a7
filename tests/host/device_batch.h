// Batches through CtcLoss on the emulator, held against the CPU kernel.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "metal/emulator/emulator_device.h"
#include "metal/host/ctc/ctc.h"
#include "tests/metal/ctc/batch.h"
#include "tests/metal/poison.h"

namespace assay::metal::test {

/// Normal logits, or the logarithms of their softmax.
inline void fill(Batch& batch, std::uint64_t seed = 1) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<float> normal(0.0F, 2.0F);
  for (float& activation : batch.activations) activation = normal(bits);
  if (batch.options.input == CtcInput::logits) return;
  const auto C = static_cast<std::size_t>(batch.options.C);
  for (std::size_t begin = 0; begin < batch.activations.size(); begin += C) {
    const std::span<float> frame = std::span(batch.activations).subspan(begin, C);
    float sum = 0.0F;
    for (const float a : frame) sum += std::exp(a);
    for (float& a : frame) a -= std::log(sum);
  }
}

/// Rows of every kind: ordinary, without labels, without frames, without an alignment, repeated labels, cut short.
inline Batch ragged_batch() {
  Batch batch(9, 6, {{2, 1, 4}, {}, {5, 5, 1}, {1}, {3, 3, 3, 3, 3, 3}, {}});
  batch.input_lengths = {9, 7, 8, 0, 9, 0};
  fill(batch);
  return batch;
}

/// One row of so many labels, in as many frames as it takes and a few more.
inline Batch long_batch(std::int64_t labels) {
  std::vector<std::int64_t> row;
  for (std::int64_t s = 0; s < labels; ++s) row.push_back(1 + s % 4);
  Batch batch(labels + 5, 5, {{1, 2}, row});
  fill(batch);
  return batch;
}

/// A batch with its activations and upstream rounded to one type, and its problem.
template <class Real>
class TypedCtc {
 public:
  explicit TypedCtc(const Batch& batch)
      : batch_(batch),
        activations_(batch.activations.begin(), batch.activations.end()),
        upstream_(batch.upstream.begin(), batch.upstream.end()) {}

  CtcProblem<Real> problem() const {
    const CtcProblem<float> p = batch_.problem();
    return {p.T,       p.B,     p.C,     p.S,        activations_, p.targets,   p.input_lengths, p.target_lengths,
            upstream_, p.blank, p.input, p.variable, p.layout,     p.reduction, p.zero_infinity};
  }

 private:
  Batch batch_;
  std::vector<Real> activations_, upstream_;
};

/// Outputs in arrays that hold a value no result has.
template <class Real>
struct CtcResults {
  explicit CtcResults(const CtcProblem<Real>& problem, bool with_gradient = true)
      : loss(poisoned<float>(problem.reduction == Reduction::none ? static_cast<std::size_t>(problem.B) : 1)),
        gradient(poisoned<Real>(with_gradient ? problem.activations.size() : 0)) {}

  CtcOutput<Real> spans() { return {loss, gradient}; }
  bool operator==(const CtcResults& other) const {
    return same_bits(loss, other.loss) && same_bits(gradient, other.gradient);
  }
  bool hold_only(float value) const { return are_all(value, loss) && are_all(value, gradient); }

  std::vector<float> loss;
  std::vector<Real> gradient;
};

template <class Real>
CtcResults<Real> on_cpu(const Batch& batch, bool with_gradient = true) {
  const TypedCtc<Real> typed(batch);
  CtcResults<Real> results(typed.problem(), with_gradient);
  ctc_loss(typed.problem(), results.spans());
  return results;
}

template <class Real>
CtcResults<Real> on_device(const CtcLoss& loss, const Batch& batch, bool with_gradient = true) {
  const TypedCtc<Real> typed(batch);
  CtcResults<Real> results(typed.problem(), with_gradient);
  const Result<void> done = loss(typed.problem(), results.spans());
  EXPECT_TRUE(done) << done.error().text;
  return results;
}

inline bool is_near(float value, float expected, float tolerance) {
  if (std::isnan(expected)) return std::isnan(value);
  if (std::isinf(expected)) return value == expected;
  return std::abs(value - expected) <= tolerance * (1.0F + std::abs(expected));
}

/// `tolerance`: of wiring, not of accuracy, which is the gate's to judge.
template <class Real>
void expect_near(const CtcResults<Real>& results, const CtcResults<Real>& expected, float tolerance,
                 const std::string& what) {
  ASSERT_EQ(results.loss.size(), expected.loss.size());
  ASSERT_EQ(results.gradient.size(), expected.gradient.size());
  for (std::size_t b = 0; b < expected.loss.size(); ++b)
    EXPECT_TRUE(is_near(results.loss[b], expected.loss[b], tolerance))
        << what << ": loss[" << b << "] = " << results.loss[b] << ", expected " << expected.loss[b];
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < expected.gradient.size(); ++i)
    if (!is_near(results.gradient[i], expected.gradient[i], tolerance) && ++wrong < 4)
      ADD_FAILURE() << what << ": gradient[" << i << "] = " << float(results.gradient[i]) << ", expected "
                    << float(expected.gradient[i]);
  EXPECT_EQ(wrong, 0U) << what;
}

inline std::shared_ptr<emulator::EmulatorDevice> emulated(bool is_checked = true, int metal_version = 320) {
  emulator::EmulatorOptions options;
  options.is_checked = is_checked;
  options.language.metal_version = metal_version;
  return std::make_shared<emulator::EmulatorDevice>(options);
}

inline void expect_no_reports(const emulator::EmulatorDevice& device) {
  for (const emulator::Report& report : device.reports()) ADD_FAILURE() << to_string(report);
}

}  // namespace assay::metal::test
