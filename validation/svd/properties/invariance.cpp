// Q A has the singular values of A for orthogonal Q: rows in another order and with other signs, and a reflection whose
// result is rounded to the type. The bound includes the norm of the change by that rounding (Weyl).
#include <cmath>
#include <numeric>

#include "validation/core/random.h"
#include "validation/svd/compare.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

SvdCase with_rows_moved(const SvdCase& c) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(c.M));
  std::iota(rows.rbegin(), rows.rend(), 0);
  SvdCase d = select_rows(c, rows);
  for (std::int64_t b = 0; b < d.B; ++b)
    for (std::int64_t i = 0; i < d.M; i += 2)
      for (std::int64_t j = 0; j < d.N; ++j) d.at(b, i, j) = -d.at(b, i, j);
  return d;
}

/// (I - 2 w w^T / w^T w) A of every matrix, rounded; `changed` is the norm of the change by rounding.
SvdCase reflected(const SvdCase& c, double& changed) {
  Random random(11);
  std::vector<double> w;
  double squares = 0;
  for (std::int64_t i = 0; i < c.M; ++i) w.push_back(random.gaussian());
  for (const double element : w) squares += element * element;
  SvdCase d = c;
  long double change = 0;
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t j = 0; j < c.N; ++j) {
      long double share = 0;
      for (std::int64_t i = 0; i < c.M; ++i)
        share += static_cast<long double>(w[static_cast<std::size_t>(i)]) * c.at(b, i, j);
      for (std::int64_t i = 0; i < c.M; ++i) {
        const long double exact = c.at(b, i, j) - 2 * share * w[static_cast<std::size_t>(i)] / squares;
        d.at(b, i, j) = rounded_to<double>(c.dtype, static_cast<double>(exact));
        change += (exact - d.at(b, i, j)) * (exact - d.at(b, i, j));
      }
    }
  }
  changed = static_cast<double>(std::sqrt(change));
  return d;
}

Finding check_invariance(const SvdContext& context, const SvdCase& c) {
  const SvdRun run = run_valid(context.kernel, c);
  const SvdCase moved = with_rows_moved(c);
  Comparison comparison;
  hold_values(comparison, context.kernel.info(), moved, run_valid(context.kernel, moved), c, run);
  double changed = 0;
  const SvdCase other = reflected(c, changed);
  for (const double element : other.A)
    if (!std::isfinite(element)) return comparison.finding();
  // The rounding of w^T w adds an error relative to the norm of the matrix.
  for (std::int64_t b = 0; b < c.B; ++b) changed += frobenius_norm(c, b, 0x1p-48);
  hold_values(comparison, context.kernel.info(), other, run_valid(context.kernel, other), c, run, changed);
  return comparison.finding();
}

}  // namespace

SvdProperty invariance() {
  return {"invariance", "Q A has the singular values of A", {}, check_invariance};
}

}  // namespace assay::validation::svd
