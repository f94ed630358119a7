// A CtcProblem<double> together with the storage it looks at.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "reference/ctc/problem.h"

namespace assay::reference::tests {

struct Batch {
  std::vector<double> activations;
  std::vector<std::int64_t> targets;
  std::vector<std::int64_t> input_lengths;
  std::vector<std::int64_t> target_lengths;
  std::vector<double> upstream;
  CtcProblem<double> shape;  // its spans are not read

  CtcProblem<double> problem() const {
    CtcProblem<double> view = shape;
    view.activations = activations;
    view.targets = targets;
    view.input_lengths = input_lengths;
    view.target_lengths = target_lengths;
    view.upstream = upstream;
    return view;
  }
};

/// Padded, with random logits of standard deviation `scale` and random labels; all rows of full length.
inline Batch random_batch(std::int64_t T, std::int64_t B, std::int64_t C, std::int64_t S, double scale = 1,
                          std::int64_t blank = 0, unsigned seed = 7) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, scale);
  Batch batch;
  batch.shape.T = T, batch.shape.B = B, batch.shape.C = C, batch.shape.S = S, batch.shape.blank = blank;
  for (std::int64_t i = 0; i < T * B * C; ++i) batch.activations.push_back(normal(random));
  for (std::int64_t i = 0; i < B * S; ++i)
    batch.targets.push_back((blank + 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(C - 1))) % C);
  batch.input_lengths.assign(static_cast<std::size_t>(B), T);
  batch.target_lengths.assign(static_cast<std::size_t>(B), S);
  return batch;
}

/// A batch of mixed lengths; row 1 has no alignment.
inline Batch mixed_batch() {
  Batch batch = random_batch(6, 4, 4, 3);
  batch.input_lengths = {6, 2, 4, 0};
  batch.target_lengths = {3, 3, 1, 0};
  batch.upstream = {2, -1, 0.5, 3};
  return batch;
}

}  // namespace assay::reference::tests
