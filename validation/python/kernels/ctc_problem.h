// The arguments of a CTC loss from Python, as the kernels take them: all but the activations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reference/ctc/problem.h"
#include "validation/python/kernels/arrays.h"
#include "validation/python/kernels/ctc_call.h"

namespace assay::python {

/// Targets, lengths and options, on the host. Targets are [B, S], or the rows concatenated.
struct CtcArguments {
  pybind11::buffer targets, input_lengths, target_lengths, upstream;
  std::int64_t blank;
  bool logits;
  std::string reduction;
  bool zero_infinity;
};

/// The problem of activations [T, B, C]. It views the arrays. Throws std::invalid_argument for arrays of other types.
inline reference::CtcProblem<float> ctc_problem(const std::array<std::int64_t, 3>& shape, const CtcArguments& given) {
  reference::CtcProblem<float> problem;
  const bool padded = given.targets.request().ndim == 2;
  const auto S = padded ? std::optional(shape_of<2>("targets", given.targets)[1]) : std::nullopt;
  set_options(problem, shape, S, given.blank, given.logits, given.reduction, given.zero_infinity);
  problem.targets = integers("targets", given.targets);
  problem.input_lengths = integers("input_lengths", given.input_lengths);
  problem.target_lengths = integers("target_lengths", given.target_lengths);
  problem.upstream = elements<const float>("upstream", given.upstream);
  return problem;
}

}  // namespace assay::python
