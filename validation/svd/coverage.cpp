// The classes of cases of the SVD.
#include "validation/svd/operation.h"

#include <algorithm>
#include <cmath>

#include "reference/svd/jacobi.h"
#include "validation/core/coverage.h"
#include "validation/core/infinity.h"

namespace assay::validation {
namespace {

/// Whether `predicate` holds for some matrix of the batch.
template <class Predicate>
bool some_matrix(const SvdCase& c, const Predicate& predicate) {
  for (std::int64_t b = 0; b < c.B; ++b)
    if (predicate(b)) return true;
  return false;
}

double column_norm(const SvdCase& c, std::int64_t b, std::int64_t j) {
  double largest = 0;
  for (std::int64_t i = 0; i < c.M; ++i) largest = std::max(largest, std::abs(c.at(b, i, j)));
  return largest;
}

/// The ratio of the smallest column to the largest, measured by the largest element of a column.
double grading(const SvdCase& c, std::int64_t b) {
  double smallest = column_norm(c, b, 0);
  for (std::int64_t j = 1; j < c.N; ++j) smallest = std::min(smallest, column_norm(c, b, j));
  const double largest = largest_element(c, b);
  return largest > 0 ? smallest / largest : 1;
}

/// Singular values in double, of the matrix scaled so that the largest element is 1.
std::vector<double> rough_values(const SvdCase& c, std::int64_t b) {
  const double largest = largest_element(c, b);
  reference::Matrix<double> A(c.M, c.N);
  for (std::int64_t i = 0; i < c.M; ++i)
    for (std::int64_t j = 0; j < c.N; ++j) A(i, j) = largest > 0 ? c.at(b, i, j) / largest : 0;
  return reference::jacobi_svd(A).S;
}

/// Whether two neighbouring singular values above 0 differ by at most `gap` times the largest.
bool some_close(const SvdCase& c, double gap) {
  return some_matrix(c, [&](std::int64_t b) {
    const auto S = rough_values(c, b);
    for (std::size_t k = 1; k < S.size(); ++k)
      if (S[k] > 1e-6 * S[0] && S[k - 1] - S[k] <= gap * S[0]) return true;
    return false;
  });
}

bool some_deficient(const SvdCase& c) {
  return some_matrix(c, [&](std::int64_t b) {
    const auto S = rough_values(c, b);
    return !S.empty() && S.back() <= 1e-13 * S[0];
  });
}

bool some_largest(const SvdCase& c, double low, double high) {
  return some_matrix(c, [&](std::int64_t b) {
    const double largest = largest_element(c, b);
    return largest > low && largest < high;
  });
}

const CaseClass<SvdCase> all_classes[] = {
    {"one row", [](const SvdCase& c) { return c.M == 1; }},
    {"one column", [](const SvdCase& c) { return c.N == 1; }},
    {"square", [](const SvdCase& c) { return c.M == c.N; }},
    {"tall", [](const SvdCase& c) { return c.M > c.N; }},
    {"wide", [](const SvdCase& c) { return c.M < c.N; }},
    {"odd K", [](const SvdCase& c) { return c.K() % 2 == 1; }},
    {"even K", [](const SvdCase& c) { return c.K() % 2 == 0; }},
    {"K of 15 or more", [](const SvdCase& c) { return c.K() >= 15; }},
    {"several matrices", [](const SvdCase& c) { return c.B > 1; }},
    {"zero matrix",
     [](const SvdCase& c) { return some_matrix(c, [&](std::int64_t b) { return largest_element(c, b) == 0; }); }},
    {"zero column",
     [](const SvdCase& c) {
       return some_matrix(c, [&](std::int64_t b) { return grading(c, b) == 0 && largest_element(c, b) > 0; });
     }},
    {"rank deficient", some_deficient},
    {"graded to 1e-6",
     [](const SvdCase& c) {
       const SvdCase tall = c.M < c.N ? transposed(c) : c;
       return some_matrix(tall, [&](std::int64_t b) { return grading(tall, b) > 0 && grading(tall, b) < 1e-6; });
     }},
    {"equal values", [](const SvdCase& c) { return some_close(c, 1e-12); }},
    {"close values", [](const SvdCase& c) { return some_close(c, 1e-5) && !some_close(c, 1e-12); }},
    {"elements below 1e-30", [](const SvdCase& c) { return some_largest(c, 0, 1e-30); }},
    {"elements above 1e30", [](const SvdCase& c) { return some_largest(c, 1e30, infinity); }},
    {"subnormal", [](const SvdCase& c) { return some_largest(c, 0, format_of(c.dtype).smallest_normal); }},
    {"near the largest number",
     [](const SvdCase& c) { return some_largest(c, format_of(c.dtype).largest / 4, infinity); }},
    {"float16", [](const SvdCase& c) { return c.dtype == Dtype::float16; }},
    {"bfloat16", [](const SvdCase& c) { return c.dtype == Dtype::bfloat16; }},
    {"float64", [](const SvdCase& c) { return c.dtype == Dtype::float64; }},
};

}  // namespace

std::span<const CaseClass<SvdCase>> SvdOperation::case_classes() {
  return all_classes;
}

}  // namespace assay::validation
