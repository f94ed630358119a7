// The conditions of a well-posed CTC problem. Every refusal names the argument, its index, its value and what was
// expected:
//
//   targets[b=2, s=5] = 31: expected a label in [0, C=28) other than blank=0
//
// `validate` reads all but the activations, in O(B + number of labels): shapes, lengths, labels, upstream.
// `validate_without_activations` does not even look at their size.
// `validate_activations` reads the T_b * C activations of each row, and nothing past its input length.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "reference/ctc/problem.h"
#include "reference/ctc/targets.h"
#include "reference/refuse.h"

namespace assay::reference {

namespace detail {

/// T * B * C.
template <class Real>
std::int64_t validate_extents(const CtcProblem<Real>& problem) {
  expect_at_least("T", problem.T, 0);
  expect_at_least("B", problem.B, 0);
  expect_at_least("C", problem.C, 1);
  if (problem.layout == CtcTargets::padded) expect_at_least("S", problem.S, 0);
  if (problem.blank < 0 || problem.blank >= problem.C)
    refuse("blank = ", problem.blank, ": expected a class in [0, C=", problem.C, ")");
  const std::int64_t rows = product("T * B", problem.T, problem.B);
  return product("T * B * C", rows, problem.C);
}

template <class Real>
void validate_row_counts(const CtcProblem<Real>& problem) {
  expect_size("input_lengths", problem.input_lengths.size(), "B", problem.B);
  expect_size("target_lengths", problem.target_lengths.size(), "B", problem.B);
}

template <class Real>
void validate_lengths(const CtcProblem<Real>& problem) {
  const bool padded = problem.layout == CtcTargets::padded;
  const std::int64_t width = padded ? problem.S : std::numeric_limits<std::int64_t>::max();
  for (std::size_t b = 0; b < problem.input_lengths.size(); ++b) {
    const std::int64_t frames = problem.input_lengths[b];
    const std::int64_t labels = problem.target_lengths[b];
    if (frames < 0 || frames > problem.T)
      refuse("input_lengths[b=", b, "] = ", frames, ": expected a length in [0, T=", problem.T, "]");
    if (labels < 0) refuse("target_lengths[b=", b, "] = ", labels, ": expected at least 0");
    if (labels > width) refuse("target_lengths[b=", b, "] = ", labels, ": expected a length in [0, S=", problem.S, "]");
  }
}

template <class Real>
void validate_targets_size(const CtcProblem<Real>& problem) {
  if (problem.layout == CtcTargets::padded)
    return expect_size("targets", problem.targets.size(), "B * S", product("B * S", problem.B, problem.S));
  std::int64_t sum = 0;
  for (std::size_t b = 0; b < problem.target_lengths.size(); ++b) {
    const std::int64_t labels = problem.target_lengths[b];
    if (labels > std::numeric_limits<std::int64_t>::max() - sum)
      refuse("target_lengths[b=", b, "] = ", labels, ": expected a sum of target_lengths that fits in 64 bits");
    sum += labels;
  }
  expect_size("targets", problem.targets.size(), "the sum of target_lengths", sum);
}

template <class Real>
void validate_labels(const CtcProblem<Real>& problem) {
  const bool padded = problem.layout == CtcTargets::padded;
  std::size_t row = 0;
  for (std::size_t b = 0; b < problem.target_lengths.size(); ++b) {
    const auto length = static_cast<std::size_t>(problem.target_lengths[b]);
    for (std::size_t s = 0; s < length; ++s) {
      const std::int64_t label = problem.targets[row + s];
      if (label < 0 || label >= problem.C || label == problem.blank)
        refuse("targets[b=", b, ", s=", s, "] = ", label, ": expected a label in [0, C=", problem.C,
               ") other than blank=", problem.blank);
    }
    row += padded ? static_cast<std::size_t>(problem.S) : length;
  }
}

/// Refuses what is wrong with frame t of row b, if anything is. `frame` is [C].
template <class Real>
void validate_frame(std::span<const Real> frame, CtcInput input, std::int64_t t, std::size_t b) {
  const Real infinity = std::numeric_limits<Real>::infinity();
  bool acceptable = true,
       any_finite = false;  // one pass without branches; only a bad frame is searched for the position
  for (const Real& value : frame) {
    acceptable &= value < infinity;
    any_finite |= value > -infinity;
  }
  if (!acceptable)
    for (std::size_t c = 0; c < frame.size(); ++c)
      if (!(frame[c] < infinity))
        refuse("activations[t=", t, ", b=", b, ", c=", c, "] = ", frame[c], ": expected a finite number or -inf");
  if (input == CtcInput::logits && !any_finite)
    refuse("activations[t=", t, ", b=", b, "] = -inf for every class: expected logits with a finite one, ",
           "for the softmax of such a frame is 0/0");
}

template <class Real>
void validate_rows(const CtcProblem<Real>& problem) {
  validate_row_counts(problem);
  validate_lengths(problem);
  validate_targets_size(problem);
  validate_labels(problem);
  validate_upstream(problem.upstream, problem.reduction, "B", problem.B);
}

}  // namespace detail

/// Throws std::invalid_argument unless sizes, lengths, labels, blank and upstream are those of a CTC problem.
/// Reads no activation, and of a padded row only its first target_lengths[b] labels.
template <class Real>
void validate(const CtcProblem<Real>& problem) {
  const std::int64_t elements = detail::validate_extents(problem);
  detail::expect_size("activations", problem.activations.size(), "T * B * C", elements);
  detail::validate_rows(problem);
}

/// As validate, for a problem whose activations are in the memory of a device and not in `problem.activations`.
template <class Real>
void validate_without_activations(const CtcProblem<Real>& problem) {
  detail::validate_extents(problem);
  detail::validate_rows(problem);
}

/// Throws std::invalid_argument at a NaN or +inf within a row's input length and, for logits, at a frame of nothing
/// but -inf. Elsewhere -inf is a probability of zero. Frames past the input length are not read. Takes `validate`
/// as passed.
template <class Real>
void validate_activations(const CtcProblem<Real>& problem) {
  const auto C = static_cast<std::size_t>(problem.C);
  std::int64_t longest = 0;
  for (const std::int64_t length : problem.input_lengths) longest = std::max(longest, length);
  for (std::int64_t t = 0; t < longest; ++t)
    for (std::size_t b = 0; b < problem.input_lengths.size(); ++b)
      if (t < problem.input_lengths[b]) {
        const std::size_t row = static_cast<std::size_t>(t) * problem.input_lengths.size() + b;
        detail::validate_frame(problem.activations.subspan(row * C, C), problem.input, t, b);
      }
}

}  // namespace assay::reference
