// The logit of each token's target, in double, and the reference that its exponentials are relative to: the largest of
// that logit and the logits of a few entries spread over the vocabulary. It never exceeds the largest logit and is
// usually near it, so that the exponentials are usually within the range of floats at the first attempt.
#pragma once

#include <vector>

#include "metal/cpu/cce/tile.h"

namespace assay::metal::cpu {

/// Up to `max_count` entries whose bias is finite, evenly spread; `bias` is relative to the offset.
inline std::vector<std::int64_t> sample_entries(std::span<const float> bias, std::int64_t max_count) {
  std::vector<std::int64_t> finite, sample;
  for (std::size_t v = 0; v < bias.size(); ++v)
    if (bias[v] > -std::numeric_limits<float>::infinity()) finite.push_back(static_cast<std::int64_t>(v));
  const std::size_t count = std::min(static_cast<std::size_t>(max_count), finite.size());
  for (std::size_t i = 0; i < count; ++i) sample.push_back(finite[i * finite.size() / count]);
  return sample;
}

/// The rows of weight of the sample, and their bias.
template <class Real, class Operand>
struct Sample {
  std::vector<std::int64_t> entries;
  std::vector<Operand> weight;
  std::vector<float> bias;

  explicit Sample(const CceCall<Real, Operand>& call)
      : entries(sample_entries(call.bias, std::min<std::int64_t>(64, call.plan.chunk))),
        weight(entries.size() * static_cast<std::size_t>(call.H)) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      call.as_operand(weight.data() + i * static_cast<std::size_t>(call.H), call.weight_row(entries[i]), call.H);
      bias.push_back(call.bias[static_cast<std::size_t>(entries[i])]);
    }
  }
};

template <class Real, class Operand>
void find_target_logit(CceCall<Real, Operand>& call, CceToken& token) {
  const double z =
      call.stored.dot(call.hidden_row(token.n), call.weight_row(token.target), static_cast<std::size_t>(call.H));
  if (!std::isfinite(z)) call.finite = false;
  const auto target = static_cast<std::size_t>(token.target);
  const double bias = call.problem.bias.empty() ? 0.0 : static_cast<double>(call.problem.bias[target]);
  cap_target(token, z + (bias - call.terms.offset), call.terms);
}

template <class Real, class Operand>
void find_references(CceCall<Real, Operand>& call, Range rows, const Sample<Real, Operand>& sample,
                     CceTiles<Operand>& own) {
  const std::int64_t entries = std::ssize(sample.entries);
  const CceRow row = {.cap = static_cast<float>(call.terms.cap)};
  for_each_tile(rows, call.plan.tile_rows, [&](Range tile) {
    gemm_logits(call.gemm_sizes(tile, entries), call.hidden(own, tile), {sample.weight.data(), call.H},
                {own.logits.data(), entries});
    for (std::int64_t i = tile.begin; i < tile.end; ++i) {
      CceToken& token = call.tokens[static_cast<std::size_t>(i)];
      find_target_logit(call, token);
      const CceSums sums = call.elements.row(own.logits.data() + (i - tile.begin) * entries,
                                             static_cast<std::size_t>(entries), sample.bias.data(), row);
      if (!sums.finite) call.finite = false;
      token.reference = std::max(sums.largest, static_cast<float>(token.target_logit));
    }
  });
}

template <class Real, class Operand>
void find_references(CceCall<Real, Operand>& call) {
  const Sample<Real, Operand> sample(call);
  call.on_tokens({0, call.M()},
                 [&](Range tokens, std::int64_t part) { find_references(call, tokens, sample, call.tiles(part)); });
}

}  // namespace assay::metal::cpu
