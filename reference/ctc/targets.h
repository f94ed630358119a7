// Where the labels of each row lie.
//
//   padded         row b starts at b * S
//   concatenated   row b starts at target_lengths[0] + ... + target_lengths[b - 1]
//
// In both layouts row b holds target_lengths[b] labels; what pads a row is never part of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/ctc/problem.h"

namespace assay::reference {

/// The labels of one row, [S_b].
using Targets = std::span<const std::int64_t>;

/// Writes the labels of every row into `rows` [B] in one pass over target_lengths. The problem is taken as valid.
template <class Real>
void target_rows(const CtcProblem<Real>& problem, std::span<Targets> rows) {
  std::size_t next = 0;
  for (std::size_t b = 0; b < rows.size(); ++b) {
    const auto length = static_cast<std::size_t>(problem.target_lengths[b]);
    rows[b] = problem.targets.subspan(next, length);
    next += problem.layout == CtcTargets::padded ? static_cast<std::size_t>(problem.S) : length;
  }
}

/// The labels of every row, [B] spans into problem.targets. The problem is taken as valid.
template <class Real>
std::vector<Targets> target_rows(const CtcProblem<Real>& problem) {
  std::vector<Targets> rows(static_cast<std::size_t>(problem.B));
  target_rows(problem, std::span<Targets>(rows));
  return rows;
}

}  // namespace assay::reference
