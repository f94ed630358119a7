// The CTC kernel for activations of any type with an upstream gradient in float32, as callers from NumPy and from XLA
// give it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "metal/cpu/ctc/any.h"
#include "metal/cpu/ctc/loss.h"

namespace assay::python {

/// Sets what the arrays of a problem are. `shape`: T, B, C. `S`: targets are [B, S]; none: the rows are concatenated.
inline void set_form(reference::CtcProblem<float>& problem, const std::array<std::int64_t, 3>& shape,
                     std::optional<std::int64_t> S, bool logits) {
  problem.T = shape[0];
  problem.B = shape[1];
  problem.C = shape[2];
  problem.S = S.value_or(0);
  problem.layout = S ? reference::CtcTargets::padded : reference::CtcTargets::concatenated;
  problem.input = logits ? reference::CtcInput::logits : reference::CtcInput::log_probs;
  problem.variable = logits ? reference::CtcVariable::logits : reference::CtcVariable::log_probs;
}

/// The kernel takes the upstream gradient in the type of the activations, where it may overflow (a loss scaled by 2^16
/// in float16) or lose digits.
inline bool upstream_is_exact(const metal::AnyCtcProblem& any) {
  return std::visit(
      [&]<class Given>(const Given&) {
        using Real = std::remove_const_t<typename Given::element_type>;
        return std::ranges::all_of(any.options.upstream, [](float value) {
          const auto stored = static_cast<float>(static_cast<Real>(value));
          return stored == value;
        });
      },
      any.activations);
}

/// As the kernel, with inputs and gradient converted from and to 16 bits outside of it.
inline void ctc_loss_in_float32(const metal::AnyCtcProblem& any, const metal::AnyCtcOutput& out, int threads) {
  std::visit(
      [&]<class Given>(const Given& activations) {
        using Real = std::remove_const_t<typename Given::element_type>;
        const std::vector<float> wide(activations.begin(), activations.end());
        const auto gradient = metal::typed<std::span<Real>>("gradient", out.gradient, "activations");
        std::vector<float> wide_gradient(gradient.size());
        reference::CtcProblem<float> problem = any.options;
        problem.activations = wide;
        metal::ctc_loss(problem, {out.loss, wide_gradient}, {.threads = threads});
        std::ranges::transform(wide_gradient, gradient.begin(), [](float x) { return metal::rounded<Real>(x); });
      },
      any.activations);
}

/// Writes loss and, unless it is empty, gradient. Throws as metal::ctc_loss.
inline void any_ctc_loss(const metal::AnyCtcProblem& any, const metal::AnyCtcOutput& out, int threads) {
  if (!upstream_is_exact(any)) return ctc_loss_in_float32(any, out, threads);
  metal::with_types(
      any, out, [&](const auto& typed, const auto& output) { metal::ctc_loss(typed, output, {.threads = threads}); });
}

}  // namespace assay::python
