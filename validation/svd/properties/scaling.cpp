// A matrix times a power of two has the same factors, and S times that power: in every bit if the kernel claims so,
// else within their bounds. An absolute threshold (1e-6, as published) never rotates a small matrix and returns a wrong
// answer.
#include <cmath>

#include "validation/svd/compare.h"
#include "validation/svd/measure.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

/// Whether all non-zero elements are normal numbers, before and after multiplication by 2^exponent.
bool stays_exact(const SvdCase& c, int exponent) {
  const double smallest = format_of(c.dtype).smallest_normal;
  const double largest = format_of(c.dtype).largest / (4 * static_cast<double>(std::max(c.M, c.N)));
  for (const double element : c.A) {
    const double size = std::abs(element), moved = std::ldexp(size, exponent);
    if (size > 0 && (size < smallest || size > largest || moved < smallest || moved > largest)) return false;
  }
  return true;
}

SvdCase scaled(const SvdCase& c, int exponent) {
  SvdCase d = c;
  for (double& element : d.A) element = std::ldexp(element, exponent);
  return d;
}

/// The run at another scale. Sets `rounds` if a value leaves the normal numbers of its type.
SvdRun scaled(const SvdCase& c, SvdRun run, int exponent, bool& rounds) {
  const double smallest = format_of(value_dtype(c.dtype)).smallest_normal;
  for (double& value : run.S) {
    rounds |= value > 0 && (value < smallest || std::ldexp(value, exponent) < smallest);
    value = std::ldexp(value, exponent);
  }
  return run;
}

/// The verdict on a run of the scaled matrix. LAPACK scales small and large matrices by no power of two.
Finding judge_scaled(const SvdKernelInfo& info, const SvdCase& c, const SvdRun& expected, const SvdRun& run) {
  if (info.exact_scaling) return same_bits(c, expected, run, "times a power of two, the matrix gives other bits");
  const SvdBounds bounds(c, info);
  Comparison comparison;
  hold_values(comparison, info, c, run, c, expected);
  hold_orthonormal_u(comparison, c, run, bounds);
  hold_orthonormal_v(comparison, c, run, bounds);
  for (std::int64_t b = 0; b < c.B; ++b)
    comparison.near({"|A - U S Vh|", b, -1, -1, "b"}, residual_norm(c, run, b), 0.0, bounds.residual(b),
                    frobenius_norm(c, b));
  return comparison.finding();
}

Finding check_scaling(const SvdContext& context, const SvdCase& c) {
  const SvdRun plain = run_valid(context.kernel, c);
  int tried = 0;
  Finding all = Finding::pass();
  for (const int exponent : {-66, -60, -13, -3, 1, 9, 40, 60}) {
    if (!stays_exact(c, exponent)) continue;
    bool rounds = false;
    const SvdRun expected = scaled(c, plain, exponent, rounds);
    if (rounds) continue;
    ++tried;
    const SvdCase moved = scaled(c, exponent);
    all.take(judge_scaled(context.kernel.info(), moved, expected, run_valid(context.kernel, moved)));
    if (is_failure(all.verdict)) return all;
  }
  return tried > 0 ? std::move(all) : Finding::skip("no power of two leaves all elements normal");
}

}  // namespace

SvdProperty scaling() {
  return {"scaling", "a power of two scales S alone", {.scaled = 0}, check_scaling};
}

}  // namespace assay::validation::svd
