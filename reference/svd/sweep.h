// A sweep of one-sided Jacobi: every pair of columns once, rotated where their cosine is above the threshold.
//
//   cyclic    pairs (0, 1), (0, 2), ..., (0, N-1), (1, 2), ...   row by row (Forsythe and Henrici 1960)
//   de_rijk   the same, but before row i the longest of the columns i, ..., N-1 is brought to place i (de Rijk 1989, "A
//             one-sided Jacobi algorithm for computing the singular value decomposition on a vector computer"): columns
//             leave a sweep nearly sorted, and fewer sweeps are needed where singular values are spread
//
// The threshold is on cosines, which no scaling of the matrix or of a column changes.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>

#include "reference/number/traits.h"
#include "reference/svd/columns.h"
#include "reference/svd/rotation.h"
#include "reference/svd/vectors.h"

namespace assay::reference {

enum class JacobiOrdering { cyclic, de_rijk };

/// The findings of one sweep.
template <class Number>
struct JacobiSweep {
  int sweep = 0;               ///< which, from 1 on
  Number worst_cosine{0};      ///< the largest |cosine| met, as its pair came up
  std::int64_t rotations = 0;  ///< how many pairs were above the threshold
};

namespace detail {

/// Where the ratio of norms underflows, so does the sine. The rotation is then y -= (x / ||x||) (q ||y||), up to far
/// less than one rounding, and each factor of that is within the range.
template <std::floating_point Number>
void subtract_projection(std::span<const Number> x, Number norm_x, std::span<Number> y, Number component) {
  for (std::size_t k = 0; k < y.size(); ++k) y[k] -= (x[k] / norm_x) * component;
}

/// Rotates columns x and y, x the longer, of cosine q.
template <class Number>
void rotate_columns(JacobiColumns<Number>& columns, std::int64_t x, std::int64_t y, const Number& q) {
  Number& norm_x = columns.norms[static_cast<std::size_t>(x)];
  Number& norm_y = columns.norms[static_cast<std::size_t>(y)];
  const Rotation<Number> rotation = orthogonalizing_rotation(norm_x, norm_y, q);
  bool beyond_range = false;
  if constexpr (std::floating_point<Number>) {
    using Limits = std::numeric_limits<Number>;
    beyond_range = rotation.ratio < Limits::min() / Limits::epsilon();
    if (beyond_range) subtract_projection<Number>(columns.AV.row(x), norm_x, columns.AV.row(y), q * norm_y);
  }
  if (!beyond_range) rotate<Number>(columns.AV.row(x), columns.AV.row(y), rotation);
  rotate<Number>(columns.V.row(x), columns.V.row(y), rotation);

  Number& mass_x = columns.mass[static_cast<std::size_t>(x)];
  Number& mass_y = columns.mass[static_cast<std::size_t>(y)];
  const Number c = rotation.cosine();
  const Number mass = hypotenuse<Number>(c * mass_x, rotation.sine * mass_y);
  mass_y = hypotenuse<Number>(rotation.sine * mass_x, c * mass_y);
  mass_x = mass;

  const Number one(1), left = one - rotation.share;
  norm_x *= NumberTraits<Number>::sqrt(one + rotation.share * rotation.ratio * rotation.ratio);
  if (left > Number(0.25)) {
    norm_y *= NumberTraits<Number>::sqrt(left);
  } else {  // too much has cancelled
    norm_y = norm<Number>(columns.AV.row(y));
  }
}

/// Brings the longest of the columns i, ..., N-1 to place i.
template <class Number>
void bring_longest(JacobiColumns<Number>& columns, std::int64_t i) {
  const auto first = columns.norms.begin() + i;
  const auto longest = std::max_element(first, columns.norms.end());
  if (longest != first) swap_columns(columns, i, i + (longest - first));
}

/// Visits the pair (i, j).
template <class Number>
void visit_pair(JacobiColumns<Number>& columns, std::int64_t i, std::int64_t j, const Number& threshold,
                const Number& roundoff, JacobiSweep<Number>& met) {
  const Number& norm_i = columns.norms[static_cast<std::size_t>(i)];
  const Number& norm_j = columns.norms[static_cast<std::size_t>(j)];
  if (NumberTraits<Number>::is_zero(norm_i) || NumberTraits<Number>::is_zero(norm_j)) return;
  const Number q = cosine<Number>(columns.AV.row(i), norm_i, columns.AV.row(j), norm_j), size = magnitude(q);
  if (size > met.worst_cosine) met.worst_cosine = size;
  if (size <= threshold) return;
  const bool ordered = !(norm_i < norm_j);
  const std::int64_t longer = ordered ? i : j, shorter = ordered ? j : i;
  rotate_columns(columns, longer, shorter, q);
  ++met.rotations;
  if (is_rounding_error(columns, shorter, roundoff)) set_to_zero(columns, shorter);
}

}  // namespace detail

/// One sweep; `roundoff` is that of columns.h. Returns what was met.
template <class Number>
JacobiSweep<Number> jacobi_sweep(JacobiColumns<Number>& columns, JacobiOrdering ordering, const Number& threshold,
                                 const Number& roundoff) {
  JacobiSweep<Number> met;
  refresh_norms(columns);
  for (std::int64_t i = 0; i < columns.count(); ++i) {
    if (ordering == JacobiOrdering::de_rijk) detail::bring_longest(columns, i);
    for (std::int64_t j = i + 1; j < columns.count(); ++j) detail::visit_pair(columns, i, j, threshold, roundoff, met);
  }
  return met;
}

}  // namespace assay::reference
