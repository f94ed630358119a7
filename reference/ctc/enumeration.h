// Alignments, probability and gradients by the definition alone, which knows nothing of states, skips or recursions: it
// is what those are held against (Graves et al. 2006, section 3.1 and equations 2 and 3).
//
//   B(pi)       = the labels of an alignment pi [T]: runs of equal classes merged, then blanks dropped
//                 B(a - a b -) = B(- a a - - a b b) = a a b
//   p(pi|x)     = prod_t y^t_{pi_t}                                                          (2)
//   p(l|x)      = sum_{pi in B^-1(l)} p(pi|x)                                                (3)
//   dp/dy^t_k   = sum_{pi : pi_t = k} prod_{t' != t} y^{t'}_{pi_t'}        each term is linear in y^t_{pi_t}
//   dp/da^t_k   = sum_pi p(pi|x) (delta_{k, pi_t} - y^t_k)                 for d ln y_j / da_k = delta_jk - y_k
//
// L = -ln p, so dL = -dp / p. B^-1(l) is found by trying every sequence of T classes, of the n different labels in l
// and the blank, in time O(T (n + 1)^T): for a handful of frames.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/matrix.h"

namespace assay::reference {

/// B(pi).
inline std::vector<std::int64_t> collapse(std::span<const std::int64_t> alignment, std::int64_t blank) {
  std::vector<std::int64_t> labels;
  for (std::size_t t = 0; t < alignment.size(); ++t) {
    const bool starts_run = t == 0 || alignment[t] != alignment[t - 1];
    if (starts_run && alignment[t] != blank) labels.push_back(alignment[t]);
  }
  return labels;
}

/// B^-1(l): every alignment pi [T] with B(pi) = l, in the order of counting with the last frame as the fastest digit.
inline std::vector<std::vector<std::int64_t>> alignments(std::int64_t T, std::span<const std::int64_t> labels,
                                                         std::int64_t blank) {
  std::vector<std::int64_t> classes(labels.begin(), labels.end());
  classes.push_back(blank);
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());

  std::vector<std::vector<std::int64_t>> found;
  std::vector<std::size_t> digits(static_cast<std::size_t>(T), 0);
  std::vector<std::int64_t> alignment(digits.size(), classes[0]);
  while (true) {
    const auto collapsed = collapse(alignment, blank);
    if (std::equal(collapsed.begin(), collapsed.end(), labels.begin(), labels.end())) found.push_back(alignment);
    std::size_t t = digits.size();
    while (t > 0 && digits[t - 1] + 1 == classes.size()) digits[--t] = 0, alignment[t] = classes[0];
    if (t == 0) return found;
    alignment[t - 1] = classes[++digits[t - 1]];
  }
}

/// p(pi|x) from y [T, C].
template <class Weight>
Weight path_probability(const Matrix<Weight>& y, std::span<const std::int64_t> alignment) {
  Weight product(1);
  for (std::size_t t = 0; t < alignment.size(); ++t) product *= y(static_cast<std::int64_t>(t), alignment[t]);
  return product;
}

/// p(l|x) from y [T, C].
template <class Number>
Number probability_by_enumeration(const Matrix<Number>& y, std::span<const std::int64_t> labels, std::int64_t blank) {
  Number p(0);
  for (const auto& alignment : alignments(y.rows(), labels, blank)) p += path_probability(y, alignment);  // (3)
  return p;
}

/// dL/dy [T, C], the outputs y taken as free variables. p(l|x) must not be 0.
template <class Number>
Matrix<Number> gradient_wrt_outputs_by_enumeration(const Matrix<Number>& y, std::span<const std::int64_t> labels,
                                                   std::int64_t blank) {
  const Number p = probability_by_enumeration(y, labels, blank);
  Matrix<Number> gradient(y.rows(), y.cols());
  for (const auto& alignment : alignments(y.rows(), labels, blank))
    for (std::int64_t t = 0; t < y.rows(); ++t) {
      Number others(1);
      for (std::int64_t u = 0; u < y.rows(); ++u)
        if (u != t) others *= y(u, alignment[static_cast<std::size_t>(u)]);
      gradient(t, alignment[static_cast<std::size_t>(t)]) -= others / p;
    }
  return gradient;
}

/// dL/da [T, C] with respect to the logits a, of which y is the softmax. p(l|x) must not be 0.
template <class Number>
Matrix<Number> gradient_wrt_logits_by_enumeration(const Matrix<Number>& y, std::span<const std::int64_t> labels,
                                                  std::int64_t blank) {
  const Number p = probability_by_enumeration(y, labels, blank);
  Matrix<Number> gradient(y.rows(), y.cols());
  for (const auto& alignment : alignments(y.rows(), labels, blank)) {
    const Number share = path_probability(y, alignment) / p;
    for (std::int64_t t = 0; t < y.rows(); ++t)
      for (std::int64_t k = 0; k < y.cols(); ++k) {
        const Number delta(k == alignment[static_cast<std::size_t>(t)] ? 1 : 0);
        gradient(t, k) -= share * (delta - y(t, k));
      }
  }
  return gradient;
}

}  // namespace assay::reference
