// One CTC problem that owns its data.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/ctc/problem.h"
#include "validation/core/dtype.h"

namespace assay::validation {

using reference::CtcInput;
using reference::CtcProblem;
using reference::CtcTargets;
using reference::CtcVariable;
using reference::Reduction;

struct CtcFields;

/// Shapes as in reference/ctc/problem.h. Elements are kept as float32, in which float16 and bfloat16 are exact.
struct CtcCase {
  using Fields = CtcFields;

  std::int64_t T = 0;
  std::int64_t B = 0;
  std::int64_t C = 1;
  std::int64_t S = 0;
  Dtype dtype = Dtype::float32;  ///< of activations and gradient; upstream is exact in it; not float64
  std::vector<float> activations;
  std::vector<std::int64_t> targets;
  std::vector<std::int64_t> input_lengths;
  std::vector<std::int64_t> target_lengths;
  std::vector<float> upstream;
  std::int64_t blank = 0;
  CtcInput input = CtcInput::logits;
  CtcVariable variable = CtcVariable::logits;
  CtcTargets layout = CtcTargets::padded;
  Reduction reduction = Reduction::none;
  bool zero_infinity = false;

  CtcProblem<float> view() const;

  float& activation(std::int64_t t, std::int64_t b, std::int64_t k) {
    return activations[static_cast<std::size_t>((t * B + b) * C + k)];
  }
  float activation(std::int64_t t, std::int64_t b, std::int64_t k) const {
    return activations[static_cast<std::size_t>((t * B + b) * C + k)];
  }

  /// The labels of row b, in either layout. Lengths must be valid.
  std::vector<std::int64_t> labels(std::int64_t b) const;

  /// The weight of row b's loss: upstream times the factor of the reduction.
  double row_weight(std::int64_t b) const;

  /// Equal in every bit: a NaN equals itself, and 0 differs from -0.
  bool operator==(const CtcCase& other) const;
};

/// Throws std::invalid_argument naming the size, length, label or activation that keeps `c` from being a CTC problem.
void require_valid(const CtcCase& c);

/// The labels of every row: labels(b) of each b, in one pass over concatenated targets.
std::vector<std::vector<std::int64_t>> all_labels(const CtcCase& c);

/// Writes `rows` as the targets of `c` in its layout, and sets S and target_lengths; padding entries hold `padding`.
void set_targets(CtcCase& c, const std::vector<std::vector<std::int64_t>>& rows, std::int64_t padding = -1);

/// The rows `which` of `c`, in that order, as a problem of their own (per-row upstream follows; a scalar one stays).
CtcCase select_rows(const CtcCase& c, const std::vector<std::int64_t>& which);

/// ln softmax of every frame of `c` within its row's length, rounded to float32; frames past it stay as they are.
CtcCase to_log_probs(CtcCase c);

}  // namespace assay::validation
