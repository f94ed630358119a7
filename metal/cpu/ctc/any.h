// CTC on activations whose type is known when the program runs, for callers from elsewhere: files, other languages, the
// gate. with_types goes on where the type is fixed.
#pragma once

#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "metal/cpu/any_array.h"
#include "metal/cpu/ctc/loss.h"
#include "metal/cpu/half.h"
#include "reference/ctc/problem.h"

namespace assay::metal {

/// The statement of reference/ctc/problem.h; `options` holds all but the activations, which it leaves empty.
struct AnyCtcProblem {
  reference::CtcProblem<float> options;
  AnyInputOf<float, Half, BFloat16> activations;
};

/// As CtcOutput.
struct AnyCtcOutput {
  std::span<float> loss;
  AnyOutputOf<float, Half, BFloat16> gradient;
};

/// Calls use(CtcProblem<Real>, CtcOutput<Real>) of the type that the activations have, in which `upstream` should be
/// exact. Throws std::invalid_argument for a gradient of another type.
template <class Use>
void with_types(const AnyCtcProblem& any, const AnyCtcOutput& out, Use&& use) {
  std::visit(
      [&]<class Given>(const Given& activations) {
        using Real = std::remove_const_t<typename Given::element_type>;
        const auto& o = any.options;
        std::vector<Real> upstream;
        for (const float value : o.upstream) upstream.push_back(static_cast<Real>(value));
        const reference::CtcProblem<Real> problem{
            o.T,      o.B,     o.C,     o.S,        activations, o.targets,   o.input_lengths, o.target_lengths,
            upstream, o.blank, o.input, o.variable, o.layout,    o.reduction, o.zero_infinity};
        std::forward<Use>(use)(
            problem, CtcOutput<Real>{out.loss, typed<std::span<Real>>("gradient", out.gradient, "activations")});
      },
      any.activations);
}

}  // namespace assay::metal
