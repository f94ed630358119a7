// The arguments of a CTC loss from Python, as the kernels take them: all but the activations.
#pragma once

#include <cstdint>
#include <optional>

#include "reference/ctc/options.h"
#include "validation/python/kernels/arrays.h"
#include "validation/python/kernels/ctc_call.h"
#include "validation/python/kernels/options.h"

namespace assay::python {

/// Targets, lengths and options, on the host. Targets are [B, S], or the rows concatenated.
struct CtcArguments {
  pybind11::buffer targets, input_lengths, target_lengths, upstream;
  pybind11::dict options;  ///< with "logits": whether the activations are logits
};

/// The problem of activations [T, B, C]. It views the arrays. Throws std::invalid_argument for arrays of other types.
inline reference::CtcProblem<float> ctc_problem(const std::array<std::int64_t, 3>& shape, const CtcArguments& given) {
  reference::CtcProblem<float> problem;
  const bool padded = given.targets.request().ndim == 2;
  const auto S = padded ? std::optional(shape_of<2>("targets", given.targets)[1]) : std::nullopt;
  set_form(problem, shape, S, option_of<bool>(given.options, "logits"));
  set_options(problem, given.options);
  problem.targets = integers("targets", given.targets);
  problem.input_lengths = integers("input_lengths", given.input_lengths);
  problem.target_lengths = integers("target_lengths", given.target_lengths);
  problem.upstream = elements<const float>("upstream", given.upstream);
  return problem;
}

}  // namespace assay::python
