// Linear cross-entropy on arrays whose types are known when the program runs, for callers such as the gate, file
// readers and other languages. All arrays must have one type; with_types refuses others and calls the code that is
// compiled for that type.
#pragma once

#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "metal/cpu/any_array.h"
#include "metal/cpu/cce/loss.h"
#include "metal/cpu/half.h"
#include "reference/cce/problem.h"

namespace assay::metal {

using AnyInput = AnyInputOf<float, Half, BFloat16>;
using AnyOutput = AnyOutputOf<float, Half, BFloat16>;

/// The statement of reference/cce/problem.h; `options` holds everything but hidden, weight and bias, which are empty
/// there.
struct AnyCceProblem {
  reference::CceProblem<float> options;
  AnyInput hidden;
  AnyInput weight;
  AnyInput bias;
};

/// As CceOutput.
struct AnyCceOutput {
  std::span<float> loss;
  AnyOutput dhidden;
  AnyOutput dweight;
  AnyOutput dbias;
};

/// Calls use(CceProblem<Real>, CceOutput<Real>), where Real is the type of hidden. Throws std::invalid_argument that
/// names an array of another type.
template <class Use>
void with_types(const AnyCceProblem& any, const AnyCceOutput& out, Use&& use) {
  std::visit(
      [&]<class Given>(const Given& hidden) {
        using Real = std::remove_const_t<typename Given::element_type>;
        reference::CceProblem<Real> problem;
        problem.N = any.options.N;
        problem.H = any.options.H;
        problem.V = any.options.V;
        problem.hidden = hidden;
        problem.weight = typed<std::span<const Real>>("weight", any.weight, "hidden");
        problem.bias = typed<std::span<const Real>>("bias", any.bias, "hidden");
        problem.targets = any.options.targets;
        problem.upstream = any.options.upstream;
        problem.ignore_index = any.options.ignore_index;
        problem.logit_softcap = any.options.logit_softcap;
        problem.label_smoothing = any.options.label_smoothing;
        problem.z_loss = any.options.z_loss;
        problem.reduction = any.options.reduction;
        std::forward<Use>(use)(problem, CceOutput<Real>{out.loss,
                                                        {typed<std::span<Real>>("dhidden", out.dhidden, "hidden"),
                                                         typed<std::span<Real>>("dweight", out.dweight, "hidden"),
                                                         typed<std::span<Real>>("dbias", out.dbias, "hidden")}});
      },
      any.hidden);
}

}  // namespace assay::metal
