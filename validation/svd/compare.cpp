#include "validation/svd/compare.h"

#include <algorithm>
#include <cmath>

#include "validation/core/infinity.h"
#include "validation/svd/measure.h"

namespace assay::validation {
namespace {

using Product = double (*)(const SvdRun&, std::int64_t, std::int64_t, std::int64_t);

void hold_identity(Comparison& comparison, const char* output, const SvdCase& c, const SvdRun& run, Product product,
                   const SvdBounds& bounds) {
  for (std::int64_t b = 0; b < c.B; ++b)
    for (std::int64_t k = 0; k < run.K; ++k)
      for (std::int64_t l = k; l < run.K; ++l)
        comparison.near({output, b, k, l, "bkl"}, product(run, b, k, l), k == l ? 1.0 : 0.0,
                        k == l ? bounds.unit_length() : bounds.orthogonal(), 1);
}

}  // namespace

Place value_place(std::int64_t b, std::int64_t k) {
  return {"S", b, k, -1, "bk"};
}

void hold_value(Comparison& comparison, const SvdCase& c, const SvdRun& run, std::int64_t b, std::int64_t k,
                double sigma, double bound) {
  if (std::isnan(sigma)) return comparison.fail(value_place(b, k).text() + ": held against a NaN");
  // Rounding gives infinity for a value beyond the largest number.
  const double largest = format_of(value_dtype(c.dtype)).largest, got = run.s(b, k);
  const double range = frobenius_norm(c, b);
  if (got == infinity && !(sigma + bound <= largest)) {
    comparison.count(value_place(b, k), bound, range);
  } else {
    comparison.near(value_place(b, k), got, sigma, bound, range);
  }
}

void hold_orthonormal_u(Comparison& comparison, const SvdCase& c, const SvdRun& run, const SvdBounds& bounds) {
  hold_identity(comparison, "U^T U", c, run, u_product, bounds);
}

void hold_orthonormal_v(Comparison& comparison, const SvdCase& c, const SvdRun& run, const SvdBounds& bounds) {
  hold_identity(comparison, "Vh Vh^T", c, run, v_product, bounds);
}

void hold_values(Comparison& comparison, const SvdKernelInfo& kernel, const SvdCase& c, const SvdRun& run,
                 const SvdCase& other, const SvdRun& of_other, double allowance) {
  const SvdBounds bounds(c, kernel), other_bounds(other, kernel);
  const double largest = format_of(value_dtype(c.dtype)).largest;
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t k = 0; k < run.K; ++k) {
      const double expected = of_other.s(b, k), size = std::min(expected, largest);
      const double bound = bounds.value(b, size) + other_bounds.value(b, size) + allowance;
      if (expected == infinity && run.s(b, k) >= largest - bound) {
        comparison.count(value_place(b, k), bound, frobenius_norm(c, b));
      } else {
        hold_value(comparison, c, run, b, k, expected, bound);
      }
    }
  }
}

bool overflowed(const SvdRun& run, std::int64_t b) {
  return run.K > 0 && run.s(b, 0) == infinity;
}

}  // namespace assay::validation
