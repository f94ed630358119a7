// How many alignments of T frames the labels l [S] have.
//
// By recursion it is alpha over the integers, every output y_t(k) counting as 1.
//
// In closed form: an alignment is S runs of labels, each of 1 frame or more, and the S + 1 runs of blanks around them,
// each of 0 or more, save that those between equal labels have 1 or more. With r = repeats(l) that leaves T - S - r
// frames to hand out freely among 2S + 1 runs:
//
//   number = binomial(T + S - r, 2S),    for r = 0: binomial(T + S, 2S) = binomial(T + S, T - S)
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "reference/ctc/alpha.h"
#include "reference/ctc/labels.h"
#include "reference/ctc/repeats.h"
#include "reference/matrix.h"
#include "reference/number/exact.h"

namespace assay::reference {

inline Integer count_alignments(std::int64_t T, std::span<const std::int64_t> labels, std::int64_t blank) {
  std::int64_t C = blank + 1;
  for (const std::int64_t label : labels) C = std::max(C, label + 1);
  return alpha_total(alpha(Matrix<Integer>(T, C, Integer(1)), expand(labels, blank)));
}

inline Integer count_alignments_closed_form(std::int64_t T, std::span<const std::int64_t> labels) {
  if (!feasible(T, labels)) return 0;
  const std::int64_t n = T + std::ssize(labels) - repeats(labels), k = 2 * std::ssize(labels);
  Integer binomial = 1;
  for (std::int64_t i = 1; i <= k; ++i) binomial = binomial * (n - k + i) / i;  // exact: binomial(n - k + i, i)
  return binomial;
}

}  // namespace assay::reference
