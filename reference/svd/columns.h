// The state of one-sided Jacobi: the columns of A V, and V, which starts as the identity (or another orthogonal
// matrix) and gathers the rotations.
//
// Column j of a matrix is row j of its transpose, which is what is stored: columns are contiguous.
//
// Which columns are 0 in a given precision: where rank is missing, a rotation leaves nothing of a column but rounding
// errors. Later sweeps would rotate these errors, smaller each time and never 0. So a column of errors is recognised by
// its size. With
//
//   rho_k     the norm of row k of A diag(1 / ||a_j||), whose columns have length 1
//   mass_j    the norm of all that went into column j: at first ||a_j||; rotations carry it from column to column as
//             they carry errors, mass_x'^2 = cos^2 mass_x^2 + sin^2 mass_y^2
//
// element k of column j was at all times a sum of terms of the order of rho_k mass_j, and after R rotations has errors
// of the order of sqrt(R) u rho_k mass_j. A column of which no element exceeds that cannot be told from 0, and becomes
// 0. A column that is small because the columns or the rows of A are graded does exceed that, however small the column
// is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/matrix.h"
#include "reference/number/traits.h"
#include "reference/svd/vectors.h"

namespace assay::reference {

template <class Number>
struct JacobiColumns {
  Matrix<Number> AV;          ///< [N, M]: row j is column j of A V
  Matrix<Number> V;           ///< [N, N]: row j is column j of V
  std::vector<Number> norms;  ///< [N] of the columns of A V
  std::vector<Number> mass;   ///< [N]
  std::vector<Number> rho;    ///< [M]

  std::int64_t count() const { return AV.rows(); }
};

/// Computes the norms of the columns anew.
template <class Number>
void refresh_norms(JacobiColumns<Number>& columns) {
  for (std::int64_t j = 0; j < columns.count(); ++j)
    columns.norms[static_cast<std::size_t>(j)] = norm<Number>(columns.AV.row(j));
}

/// From the columns of A V and of V, each stored as a row.
template <class Number>
JacobiColumns<Number> jacobi_columns(Matrix<Number> AV, Matrix<Number> V) {
  const std::int64_t N = AV.rows(), M = AV.cols();
  JacobiColumns<Number> columns{std::move(AV), std::move(V), {}, {}, {}};
  columns.norms.resize(static_cast<std::size_t>(N));
  refresh_norms(columns);
  columns.mass = columns.norms;
  std::vector<Number> row(static_cast<std::size_t>(N), Number(0));
  for (std::int64_t i = 0; i < M; ++i) {
    for (std::int64_t j = 0; j < N; ++j) {
      const Number& length = columns.norms[static_cast<std::size_t>(j)];
      row[static_cast<std::size_t>(j)] = NumberTraits<Number>::is_zero(length) ? length : columns.AV(j, i) / length;
    }
    columns.rho.push_back(norm<Number>(row));
  }
  return columns;
}

template <class Number>
void swap_columns(JacobiColumns<Number>& columns, std::int64_t i, std::int64_t j) {
  std::swap_ranges(columns.AV.row(i).begin(), columns.AV.row(i).end(), columns.AV.row(j).begin());
  std::swap_ranges(columns.V.row(i).begin(), columns.V.row(i).end(), columns.V.row(j).begin());
  std::swap(columns.norms[static_cast<std::size_t>(i)], columns.norms[static_cast<std::size_t>(j)]);
  std::swap(columns.mass[static_cast<std::size_t>(i)], columns.mass[static_cast<std::size_t>(j)]);
}

/// Whether column j cannot be told from 0, where errors are `roundoff` times rho_k mass_j.
template <class Number>
bool is_rounding_error(const JacobiColumns<Number>& columns, std::int64_t j, const Number& roundoff) {
  const std::span<const Number> column = columns.AV.row(j);
  const Number error = roundoff * columns.mass[static_cast<std::size_t>(j)];
  for (std::size_t k = 0; k < column.size(); ++k)
    if (magnitude(column[k]) > error * columns.rho[k]) return false;
  return true;
}

template <class Number>
void set_to_zero(JacobiColumns<Number>& columns, std::int64_t j) {
  std::ranges::fill(columns.AV.row(j), Number(0));
  columns.norms[static_cast<std::size_t>(j)] = Number(0);
}

}  // namespace assay::reference
