// Linear cross-entropy on arrays whose types are known when the program runs, for callers from elsewhere: files, other
// languages, the gate. All must be of one type; with_types refuses the others and goes on where the types are fixed.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "metal/cpu/cce_loss.h"
#include "metal/cpu/half.h"
#include "reference/cce/problem.h"
#include "reference/refuse.h"

namespace assay::metal {

using AnyInput = std::variant<std::span<const float>, std::span<const Half>, std::span<const BFloat16>>;
using AnyOutput = std::variant<std::span<float>, std::span<Half>, std::span<BFloat16>>;

/// The statement of reference/cce/problem.h; `options` holds all but hidden, weight and bias, which it leaves empty.
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

namespace detail {

template <class Real>
constexpr const char* dtype_name() {
  if constexpr (std::is_same_v<Real, float>) return "float32";
  if constexpr (std::is_same_v<Real, Half>) return "float16";
  if constexpr (std::is_same_v<Real, BFloat16>) return "bfloat16";
}

/// The array as one of `Real`; an empty one passes for any type.
template <class Real, class Any>
auto typed(const char* name, const Any& any) {
  using Span = std::conditional_t<std::is_same_v<Any, AnyInput>, std::span<const Real>, std::span<Real>>;
  return std::visit(
      [name]<class Given>(const Given& given) -> Span {
        if constexpr (std::is_same_v<Given, Span>) {
          return given;
        } else {
          if (!given.empty())
            reference::detail::refuse(name, " is ", dtype_name<std::remove_const_t<typename Given::element_type>>(),
                                      ": expected ", dtype_name<Real>(), ", as hidden is");
          return {};
        }
      },
      any);
}

}  // namespace detail

/// Calls use(CceProblem<Real>, CceOutput<Real>) of the type that hidden has. Throws std::invalid_argument naming an
/// array of another type.
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
        problem.weight = detail::typed<Real>("weight", any.weight);
        problem.bias = detail::typed<Real>("bias", any.bias);
        problem.targets = any.options.targets;
        problem.upstream = any.options.upstream;
        problem.ignore_index = any.options.ignore_index;
        problem.logit_softcap = any.options.logit_softcap;
        problem.label_smoothing = any.options.label_smoothing;
        problem.z_loss = any.options.z_loss;
        problem.reduction = any.options.reduction;
        std::forward<Use>(use)(problem, CceOutput<Real>{out.loss,
                                                        {detail::typed<Real>("dhidden", out.dhidden),
                                                         detail::typed<Real>("dweight", out.dweight),
                                                         detail::typed<Real>("dbias", out.dbias)}});
      },
      any.hidden);
}

}  // namespace assay::metal
