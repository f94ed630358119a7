// Turns the sums of a block's tokens into their rows of dhidden, and the losses of tokens into the loss.
//
//   dhidden_n = scale_n acc_n + (g_t + shift_n) w_t - shift_n sum_v w_v      after the first pass
//   dhidden_n = acc_n                                                        after the second
#pragma once

#include <span>
#include <vector>

#include "metal/cpu/cce/call.h"

namespace assay::metal::cpu {

/// sum_v w_v, [H]. The sums of the parts of the vocabulary are added in order.
template <class Real, class Operand>
std::vector<double> weight_sums(CceCall<Real, Operand>& call) {
  const auto H = static_cast<std::size_t>(call.H);
  std::vector<std::vector<double>> parts(static_cast<std::size_t>(call.plan.threads), std::vector<double>(H));
  call.on_parts(call.plan.threads, [&](std::int64_t part) {
    const Range entries = part_of({0, call.V}, part, call.plan.threads);
    std::vector<float> row(H);
    for (std::int64_t v = entries.begin; v < entries.end; ++v) {
      call.stored.to_float(row.data(), call.weight_row(v), H);
      call.elements.add(parts[static_cast<std::size_t>(part)].data(), row.data(), H);
    }
  });
  for (std::size_t part = 1; part < parts.size(); ++part)
    for (std::size_t h = 0; h < H; ++h) parts[0][h] += parts[part][h];
  return parts[0];
}

/// Where the gradient of token i is written. With ignored tokens, float32 gradients are written without gaps, where
/// their sums lie, and moved to their rows at the end.
template <class Real, class Operand>
Real* dhidden_row(const CceCall<Real, Operand>& call, std::int64_t i) {
  const std::int64_t n = CceCall<Real, Operand>::float_outputs ? i : call.tokens[static_cast<std::size_t>(i)].n;
  return call.gradients.dhidden.data() + n * call.H;
}

template <class Real, class Operand>
class FinishDhidden {
 public:
  FinishDhidden(CceCall<Real, Operand>& call, Range rows, bool after_first_pass, std::span<const double> weight_sums)
      : call_(call), rows_(rows), after_first_pass_(after_first_pass), weight_sums_(weight_sums) {}

  void run() const {
    call_.on_tokens(rows_, [&](Range own, std::int64_t) {
      for (std::int64_t i = own.begin; i < own.end; ++i) row(i);
    });
  }

 private:
  void row(std::int64_t i) const {
    const auto H = static_cast<std::size_t>(call_.H);
    float* acc = call_.dhidden_sums(0, rows_.begin).data + (i - rows_.begin) * call_.H;
    for (std::int64_t group = 1; group < call_.plan.vocab_groups; ++group) {
      const float* more = call_.dhidden_sums(group, rows_.begin).data + (i - rows_.begin) * call_.H;
      for (std::size_t h = 0; h < H; ++h) acc[h] += more[h];
    }
    const CceToken& token = call_.tokens[static_cast<std::size_t>(i)];
    double scale = after_first_pass_ ? token.scale : 1.0;
    const double at_target = after_first_pass_ ? token.target_gradient + token.shift : 0.0;
    if (after_first_pass_ && token.shift != 0.0) {
      for (std::size_t h = 0; h < H; ++h)
        acc[h] = static_cast<float>(scale * static_cast<double>(acc[h]) - token.shift * weight_sums_[h]);
      scale = 1.0;
    }
    call_.stored.round(dhidden_row(call_, i), acc, H, scale, at_target, call_.weight_row(token.target));
  }

  CceCall<Real, Operand>& call_;
  Range rows_;
  bool after_first_pass_;
  std::span<const double> weight_sums_;
};

/// Writes the rows of ignored tokens and moves float32 rows to their places, from the last one on, since rows only move
/// towards the end.
template <class Real, class Operand>
void place_dhidden(const CceCall<Real, Operand>& call) {
  if (!call.wants_dhidden() || !call.ignores_some()) return;
  std::int64_t i = call.M() - 1;
  for (std::int64_t n = call.N - 1; n >= 0; --n) {
    Real* row = call.gradients.dhidden.data() + n * call.H;
    if (i >= 0 && call.tokens[static_cast<std::size_t>(i)].n == n) {
      const Real* from = dhidden_row(call, i--);
      if (from != row) std::copy_n(from, call.H, row);
    } else {
      std::fill_n(row, call.H, Real(0.0F));
    }
  }
}

template <class Real, class Operand>
void write_loss(const CceCall<Real, Operand>& call, std::span<float> loss) {
  std::ranges::fill(loss, 0.0F);
  double total = 0.0;
  for (const CceToken& token : call.tokens) {
    total += token.loss;
    if (call.problem.reduction == reference::Reduction::none)
      loss[static_cast<std::size_t>(token.n)] = static_cast<float>(token.loss) + 0.0F;
  }
  if (call.problem.reduction == reference::Reduction::none) return;
  const bool mean = call.problem.reduction == reference::Reduction::mean && call.M() > 0;
  loss[0] = static_cast<float>(mean ? total / static_cast<double>(call.M()) : total) + 0.0F;
}

}  // namespace assay::metal::cpu
