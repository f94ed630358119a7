#include "validation/svd/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/number/ball.h"
#include "reference/svd/jacobi.h"
#include "reference/svd/outcome.h"
#include "validation/core/number.h"
#include "validation/core/remembered.h"
#if ASSAY_HAVE_CERTIFIED
#include "reference/svd/certified.h"
#endif

namespace assay::validation {
namespace {

using reference::Matrix;
using Factors = reference::SvdFactors<BigFloat>;

/// The error that rounding may have caused in the singular values.
double allowance(const Factors& factors, int digits) {
  const double largest = factors.S.empty() ? 0 : to_double(factors.S[0]);
  return std::pow(10.0, 10 - digits) * std::min(largest, std::numeric_limits<double>::max());
}

Factors compute(const SvdCase& c, std::int64_t b, int digits) {
  const reference::PrecisionScope scope(digits);
  return reference::svd_outcome<BigFloat>(c.view(), b);
}

[[noreturn]] void disagree(std::int64_t b, std::size_t k, const std::string& how) {
  throw ReferenceDisagrees(fmt::format("S[b={}, k={}] {}", b, k, how));
}

/// The matrix with columns (of a wide matrix: rows) scaled to norm 1; empty if one of them is 0.
Matrix<double> scaled_to_norm_one(const SvdCase& c, std::int64_t b) {
  const bool is_wide = c.M < c.N;
  const std::int64_t rows = is_wide ? c.N : c.M, columns = is_wide ? c.M : c.N;
  Matrix<double> scaled(rows, columns);
  for (std::int64_t j = 0; j < columns; ++j) {
    double largest = 0, squares = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      scaled(i, j) = is_wide ? c.at(b, j, i) : c.at(b, i, j);
      largest = std::max(largest, std::abs(scaled(i, j)));
    }
    if (largest == 0) return {};
    for (std::int64_t i = 0; i < rows; ++i) squares += std::pow(scaled(i, j) /= largest, 2);
    for (std::int64_t i = 0; i < rows; ++i) scaled(i, j) /= std::sqrt(squares);
  }
  return scaled;
}

/// Includes a margin for rounding in double: a condition beyond about 1e12 becomes very large or infinite.
double condition_of_scaled(const SvdCase& c, std::int64_t b) {
  constexpr double rounding = 1e-13;
  const Matrix<double> scaled = scaled_to_norm_one(c, b);
  if (scaled.rows() == 0 || scaled.cols() == 0) return std::numeric_limits<double>::infinity();
  const double smallest = reference::jacobi_svd(scaled).S.back() - rounding;
  return smallest > 0 ? std::sqrt(static_cast<double>(c.K())) / smallest : std::numeric_limits<double>::infinity();
}

/// Matrices whose smaller extent is larger take too long at 50 digits.
constexpr std::int64_t largest_certified = 136;

/// The factors in long double, whose errors are those of a kernel with u = 2^-64 (validation/core/truth.h).
Factors in_long_double(const SvdCase& c, std::int64_t b) {
  const auto factors = reference::svd_outcome<long double>(c.view(), b);
  const auto exact = [](long double x) { return exactly(x); };
  Factors exactly_those{reference::map(factors.U, exact), {}, reference::map(factors.Vh, exact)};
  for (const long double s : factors.S) exactly_those.S.push_back(exactly(s));
  return exactly_those;
}

}  // namespace

#if ASSAY_HAVE_CERTIFIED
void require_certain(const SvdCase& c, std::int64_t b, const Factors& factors, int digits) {
  const reference::PrecisionScope scope(digits);
  const auto enclosures = reference::enclose_singular_values(reference::matrix_of<BigFloat>(c.view(), b), factors);
  for (std::size_t k = 0; k < enclosures.size(); ++k) {
    const double radius = to_double(enclosures[k].radius()), allowed = allowance(factors, digits);
    if (!(radius <= allowed) || !enclosures[k].contains(factors.S[k]))
      disagree(b, k, fmt::format("at {} digits: enclosed in {}", digits, enclosures[k].str(digits)));
  }
}
#else
void require_certain(const SvdCase& c, std::int64_t b, const Factors& factors, int digits) {
  const Factors more = compute(c, b, digits + extra_digits);
  const double allowed = allowance(factors, digits);
  for (std::size_t k = 0; k < factors.S.size(); ++k)
    if (!(absolute_difference(factors.S[k], more.S[k]) <= allowed))
      disagree(b, k,
               fmt::format("at {} and {} digits: {} and {}", digits, digits + extra_digits,
                           to_decimal(factors.S[k], digits), to_decimal(more.S[k], digits)));
}
#endif

SvdTruth truth_of(const SvdCase& c, int digits) {
  require_valid(c);
  SvdTruth truth;
  Remembered<SvdCase, std::shared_ptr<const SvdMatrixTruth>> known;
  for (std::int64_t b = 0; b < c.B; ++b)
    truth.matrices.push_back(known.of(select_matrix(c, b), [&](const SvdCase&) {
      if (c.K() > largest_certified && digits <= default_digits && long_double_digits > 0)
        return std::make_shared<const SvdMatrixTruth>(SvdMatrixTruth{in_long_double(c, b), condition_of_scaled(c, b)});
      const auto one =
          std::make_shared<const SvdMatrixTruth>(SvdMatrixTruth{compute(c, b, digits), condition_of_scaled(c, b)});
      require_certain(c, b, one->factors, digits);
      return one;
    }));
  return truth;
}

}  // namespace assay::validation
