#include "validation/svd/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "validation/svd/measure.h"

namespace assay::validation {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using Product = double (*)(const SvdRun&, std::int64_t, std::int64_t, std::int64_t);

void hold_identity(Comparison& comparison, const char* output, const SvdCase& c, const SvdRun& run, Product product,
                   double bound) {
  for (std::int64_t b = 0; b < c.B; ++b)
    for (std::int64_t k = 0; k < run.K; ++k)
      for (std::int64_t l = k; l < run.K; ++l)
        comparison.near({output, b, k, l, "bkl"}, product(run, b, k, l), k == l ? 1.0 : 0.0, bound);
}

template <class PlaceOf>
void same_bits(Comparison& comparison, const std::vector<double>& first, const std::vector<double>& second,
               const std::string& what, PlaceOf place_of) {
  if (first.size() != second.size()) return;
  for (std::size_t i = 0; i < first.size(); ++i)
    comparison.same_bits(place_of(static_cast<std::int64_t>(i)), first[i], second[i], what);
}

Place matrix_place(const char* output, const char* names, std::int64_t at, std::int64_t rows, std::int64_t columns) {
  return {output, at / (rows * columns), at / columns % rows, at % columns, names};
}

}  // namespace

Place value_place(std::int64_t b, std::int64_t k) {
  return {"S", b, k, -1, "bk"};
}

void hold_value(Comparison& comparison, const SvdCase& c, const SvdRun& run, std::int64_t b, std::int64_t k,
                double sigma, double bound) {
  if (std::isnan(sigma)) return comparison.fail(value_place(b, k).text() + ": held against a NaN");
  // Beyond the largest number an infinity is what rounding gives.
  const double largest = format_of(value_dtype(c.dtype)).largest, got = run.s(b, k);
  if (got == infinity && !(sigma + bound <= largest)) return;
  comparison.near(value_place(b, k), got, sigma, bound);
}

void hold_orthonormal_u(Comparison& comparison, const SvdCase& c, const SvdRun& run, const SvdBounds& bounds) {
  hold_identity(comparison, "U^T U", c, run, u_product, bounds.orthonormal());
}

void hold_orthonormal_v(Comparison& comparison, const SvdCase& c, const SvdRun& run, const SvdBounds& bounds) {
  hold_identity(comparison, "Vh Vh^T", c, run, v_product, bounds.orthonormal());
}

void hold_values(Comparison& comparison, const SvdKernelInfo& kernel, const SvdCase& c, const SvdRun& run,
                 const SvdCase& other, const SvdRun& of_other, double allowance) {
  const SvdBounds bounds(c, kernel), other_bounds(other, kernel);
  const double largest = format_of(value_dtype(c.dtype)).largest;
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t k = 0; k < run.K; ++k) {
      const double expected = of_other.s(b, k), size = std::min(expected, largest);
      const double bound = bounds.value(b, size) + other_bounds.value(b, size) + allowance;
      if (expected == infinity && run.s(b, k) >= largest - bound) continue;
      hold_value(comparison, c, run, b, k, expected, bound);
    }
  }
}

Finding same_bits(const SvdCase& c, const SvdRun& first, const SvdRun& second, const std::string& what) {
  Comparison comparison;
  const std::int64_t K = first.K;
  same_bits(comparison, first.S, second.S, what, [&](auto at) { return value_place(at / K, at % K); });
  same_bits(comparison, first.U, second.U, what, [&](auto at) { return matrix_place("U", "bik", at, c.M, K); });
  same_bits(comparison, first.Vh, second.Vh, what, [&](auto at) { return matrix_place("Vh", "bkj", at, K, c.N); });
  return comparison.finding();
}

bool overflowed(const SvdRun& run, std::int64_t b) {
  return run.K > 0 && run.s(b, 0) == infinity;
}

}  // namespace assay::validation
