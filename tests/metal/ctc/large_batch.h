// Random batches of the size that speech has, and what the kernel makes of them in each of its ways.
#pragma once

#include <atomic>
#include <bit>
#include <random>

#include "metal/cpu/ctc/tuning.h"
#include "tests/metal/ctc/batch.h"

namespace assay::metal {

/// B rows of T frames and `labels` labels each, logits normal with standard deviation `scale`.
inline Batch normal_batch(std::int64_t B, std::int64_t T, std::int64_t C, std::int64_t labels, float scale) {
  std::mt19937_64 bits(17);
  std::vector<std::vector<std::int64_t>> rows(static_cast<std::size_t>(B));
  for (auto& row : rows)
    for (std::int64_t s = 0; s < labels; ++s)
      row.push_back(1 + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(C - 1)));
  Batch batch(T, C, rows);
  std::normal_distribution<float> normal(0.0F, scale);
  for (float& activation : batch.activations) activation = normal(bits);
  return batch;
}

/// The logits of a trained model: at each frame one class of an alignment stands out by `margin`.
inline Batch confident_batch(std::int64_t T, std::int64_t C, std::int64_t labels, float margin) {
  Batch batch = normal_batch(1, T, C, labels, 1.0F);
  const std::int64_t frames_each = T / labels;
  for (std::int64_t t = 0; t < T; ++t) {
    const std::int64_t s = t / frames_each;
    const bool spoken = t % frames_each == 0 && s < labels;
    batch.at(t, 0, spoken ? batch.targets[static_cast<std::size_t>(s)] : 0) += margin;
  }
  return batch;
}

template <class Real>
struct StoredOutcome {
  std::vector<float> loss;
  std::vector<Real> gradient;
  std::size_t extended_rows = 0;

  bool operator==(const StoredOutcome& other) const {
    const auto bits = [](const auto& values) {
      return std::vector<std::byte>(reinterpret_cast<const std::byte*>(values.data()),
                                    reinterpret_cast<const std::byte*>(values.data() + values.size()));
    };
    return bits(loss) == bits(other.loss) && bits(gradient) == bits(other.gradient) &&
           extended_rows == other.extended_rows;
  }
};

/// The batch with its activations and upstream rounded to Real, computed in the way chosen.
template <class Real>
StoredOutcome<Real> run_as(const Batch& batch, cpu::Path path, cpu::InstructionSet set) {
  std::vector<Real> activations, upstream;
  for (const float activation : batch.activations) activations.push_back(Real(activation));
  for (const float weight : batch.upstream) upstream.push_back(Real(weight));
  const CtcProblem<float> from = batch.problem();
  CtcProblem<Real> problem;
  problem.T = from.T, problem.B = from.B, problem.C = from.C, problem.S = from.S;
  problem.activations = activations, problem.upstream = upstream;
  problem.targets = from.targets, problem.input_lengths = from.input_lengths;
  problem.target_lengths = from.target_lengths;
  problem.blank = from.blank, problem.input = from.input, problem.variable = from.variable;
  problem.layout = from.layout, problem.reduction = from.reduction, problem.zero_infinity = from.zero_infinity;
  StoredOutcome<Real> outcome = {std::vector<float>(batch.loss_size()), std::vector<Real>(activations.size())};
  std::atomic<std::size_t> extended_rows = 0;
  cpu::ctc_loss<Real>(problem, {outcome.loss, outcome.gradient}, {}, {path, set, &extended_rows});
  outcome.extended_rows = extended_rows;
  return outcome;
}

inline StoredOutcome<float> run_on(const Batch& batch, cpu::Path path) {
  return run_as<float>(batch, path, cpu::fastest_instruction_set());
}

}  // namespace assay::metal
