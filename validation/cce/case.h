// One linear cross-entropy problem that owns its data.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/cce/problem.h"
#include "validation/core/dtype.h"

namespace assay::validation {

using reference::CceProblem;
using reference::Reduction;

struct CceFields;

/// Shapes as in reference/cce/problem.h. Elements are kept as float32, in which float16 and bfloat16 are exact.
struct CceCase {
  using Fields = CceFields;

  std::int64_t N = 0;
  std::int64_t H = 1;
  std::int64_t V = 1;
  Dtype dtype = Dtype::float32;  ///< of hidden, weight, bias and the gradients; not float64
  std::vector<float> hidden;
  std::vector<float> weight;
  std::vector<float> bias;
  std::vector<std::int64_t> targets;
  std::vector<float> upstream;
  std::int64_t ignore_index = -100;
  double logit_softcap = 0;
  double label_smoothing = 0;
  double z_loss = 0;
  Reduction reduction = Reduction::none;

  /// The problem of the float32 images.
  CceProblem<float> view() const;

  float& hidden_at(std::int64_t n, std::int64_t h) { return hidden[static_cast<std::size_t>(n * H + h)]; }
  float hidden_at(std::int64_t n, std::int64_t h) const { return hidden[static_cast<std::size_t>(n * H + h)]; }
  float& weight_at(std::int64_t v, std::int64_t h) { return weight[static_cast<std::size_t>(v * H + h)]; }
  float weight_at(std::int64_t v, std::int64_t h) const { return weight[static_cast<std::size_t>(v * H + h)]; }

  bool is_ignored(std::int64_t n) const { return targets[static_cast<std::size_t>(n)] == ignore_index; }
  std::int64_t valid_tokens() const;
  bool has_softcap() const;

  /// The weight of token n's loss in the returned loss, times upstream; 0 for an ignored token.
  double token_weight(std::int64_t n) const;

  /// Equal in every bit: a NaN equals itself, and 0 differs from -0.
  bool operator==(const CceCase& other) const;
};

/// Throws std::invalid_argument naming the size, target, option or element that keeps `c` from being a problem.
void require_valid(const CceCase& c);

/// The tokens `which` of `c`, in that order, as a problem of their own (upstream per token follows; a scalar stays).
CceCase select_tokens(const CceCase& c, const std::vector<std::int64_t>& which);

/// The entries `which`, in that order, with renamed targets. `which` must hold every target that is not ignored.
CceCase select_entries(const CceCase& c, const std::vector<std::int64_t>& which);

/// The first `count` columns of hidden and weight.
CceCase keep_columns(const CceCase& c, std::int64_t count);

}  // namespace assay::validation
