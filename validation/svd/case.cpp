#include "validation/svd/case.h"

#include <algorithm>
#include <cmath>

#include "reference/svd/validate.h"
#include "validation/core/countable.h"
#include "validation/core/equality.h"
#include "validation/svd/fields.h"

namespace assay::validation {
namespace {

std::span<const double> matrix(const SvdCase& c, std::int64_t b) {
  const auto size = static_cast<std::size_t>(c.M * c.N);
  return std::span(c.A).subspan(static_cast<std::size_t>(b) * size, size);
}

/// A case of M x N whose element [b, i, j] is element(b, i, j) of `c`.
template <class Element>
SvdCase reshaped(const SvdCase& c, std::int64_t M, std::int64_t N, const Element& element) {
  SvdCase d = c;
  d.M = M;
  d.N = N;
  d.A.resize(static_cast<std::size_t>(c.B * M * N));
  for (std::int64_t b = 0; b < c.B; ++b)
    for (std::int64_t i = 0; i < M; ++i)
      for (std::int64_t j = 0; j < N; ++j) d.at(b, i, j) = element(b, i, j);
  return d;
}

}  // namespace

SvdProblem<double> SvdCase::view() const {
  return {B, M, N, A};
}

bool SvdCase::operator==(const SvdCase& other) const {
  return same_fields(*this, other);
}

void require_valid(const SvdCase& c) {
  reference::validate(c.view());
  require_countable(c);
  reference::validate_values(c.view());
}

SvdCase select_matrices(const SvdCase& c, const std::vector<std::int64_t>& which) {
  SvdCase d{static_cast<std::int64_t>(which.size()), c.M, c.N, c.dtype, {}};
  for (const std::int64_t b : which) {
    const auto values = matrix(c, b);
    d.A.insert(d.A.end(), values.begin(), values.end());
  }
  return d;
}

SvdCase select_matrix(const SvdCase& c, std::int64_t b) {
  return select_matrices(c, {b});
}

SvdCase select_rows(const SvdCase& c, const std::vector<std::int64_t>& which) {
  return reshaped(c, static_cast<std::int64_t>(which.size()), c.N,
                  [&](auto b, auto i, auto j) { return c.at(b, which[static_cast<std::size_t>(i)], j); });
}

SvdCase select_columns(const SvdCase& c, const std::vector<std::int64_t>& which) {
  return reshaped(c, c.M, static_cast<std::int64_t>(which.size()),
                  [&](auto b, auto i, auto j) { return c.at(b, i, which[static_cast<std::size_t>(j)]); });
}

SvdCase transposed(const SvdCase& c) {
  return reshaped(c, c.N, c.M, [&](auto b, auto i, auto j) { return c.at(b, j, i); });
}

double largest_element(const SvdCase& c, std::int64_t b) {
  double largest = 0;
  for (const double element : matrix(c, b)) largest = std::max(largest, std::abs(element));
  return largest;
}

double frobenius_norm(const SvdCase& c, std::int64_t b, double factor) {
  const double scale = largest_element(c, b);
  if (scale == 0) return 0;
  double squares = 0;
  for (const double element : matrix(c, b)) squares += (element / scale) * (element / scale);
  return factor * scale * std::sqrt(squares);
}

}  // namespace assay::validation
