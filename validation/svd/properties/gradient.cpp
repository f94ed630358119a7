// The gradient is that of the any-precision reference for the same factors, of functions that do not depend on the
// choice of U and Vh: L = <W, U g(S) Vh> with g(s) = s^3, which is <W, A A^T A>. (tests/reference checks that the
// reference's gradient is the derivative, by differentiation at any precision.)
//
// Terms that equal or zero singular values leave undetermined are left out and counted; nothing is infinite.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "validation/svd/compare.h"
#include "validation/svd/gradient_bounds.h"
#include "validation/svd/gradient_case.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

/// The kernel's gradient, NaN where the kernel writes nothing. An out-of-bounds write is a failure.
std::vector<double> gradient_of(const SvdKernel& kernel, const SvdGradientCase& f, metal::SvdGradientNotes& notes,
                                Comparison& comparison) {
  Footprint footprint;
  std::vector<double> dA = run_gradient(kernel, f, notes, footprint);
  if (!footprint.out_of_bounds_writes.empty()) comparison.fail("  " + footprint.out_of_bounds_writes[0]);
  return dA;
}

/// Compares a kernel's gradient with the reference's for the same factors.
void hold_gradient(Comparison& comparison, const SvdGradientCase& f, const std::vector<double>& dA, std::int64_t b,
                   int digits) {
  const std::vector<BigFloat> expected = exact_gradient(f, digits);
  const std::vector<double> bounds = gradient_bounds(f.view());
  for (std::size_t at = 0; at < dA.size(); ++at) {
    const auto offset = static_cast<std::int64_t>(at);
    comparison.near({"dA", b, offset / f.N, offset % f.N, "bij"}, dA[at], expected[at], bounds[at]);
  }
}

/// Whether the matrix is one of those before: the gradient is asked for one matrix at a time.
bool is_repeated(const SvdTruth& truth, std::int64_t b) {
  const auto at = static_cast<std::size_t>(b);
  return b >= needle_period && truth.matrices[at] == truth.matrices[at - needle_period];
}

/// Rounds singular values to 0, 1/2 or 1 times the largest.
void make_ties(SvdGradientCase& f) {
  const double largest = f.S[0] > 0 ? f.S[0] : 1;
  for (double& value : f.S) value = std::round(2 * value / largest) / 2;
}

/// The explanation of a wrong count of the terms that the kernel left out; empty if the counts are right.
std::string miscounted(const SvdGradientCase& f, const metal::SvdGradientNotes& notes) {
  std::int64_t equal = 0;
  for (std::size_t i = 0; i < f.S.size(); ++i)
    equal += std::count(f.S.begin(), f.S.begin() + static_cast<std::ptrdiff_t>(i), f.S[i]);
  const std::int64_t zero = f.M == f.N ? 0 : std::count(f.S.begin(), f.S.end(), 0.0);
  if (notes.equal_values == equal && notes.zero_values == zero) return {};
  return fmt::format("  notes of {} equal and {} zero values: expected {} and {}", notes.equal_values,
                     notes.zero_values, equal, zero);
}

/// Holds the gradient of each matrix, with its factors changed by change(f), against the reference's. `is_tied`: the
/// kernel's notes are held too.
template <class Change>
Finding check_each(const SvdContext& context, const SvdCase& c, const Change& change, bool is_tied) {
  if (!context.kernel.info().has_gradient) return Finding::skip("the kernel has no gradient");
  const auto truth = context.truth_of(c);
  Comparison comparison;
  for (std::int64_t b = 0; b < c.B; ++b) {
    if (is_repeated(*truth, b)) continue;
    SvdGradientCase f = gradient_case(c, *truth->matrices[static_cast<std::size_t>(b)]);
    change(f);
    differentiate(f);
    metal::SvdGradientNotes notes;
    const std::vector<double> dA = gradient_of(context.kernel, f, notes, comparison);
    if (const std::string wrong = is_tied ? miscounted(f, notes) : ""; !wrong.empty()) return Finding::fail(wrong);
    hold_gradient(comparison, f, dA, b, context.digits);
  }
  return comparison.finding();
}

Finding check_gradient(const SvdContext& context, const SvdCase& c) {
  return check_each(context, c, [](SvdGradientCase&) {}, false);
}

Finding check_ties(const SvdContext& context, const SvdCase& c) {
  return check_each(context, c, make_ties, true);
}

}  // namespace

SvdProperty gradient() {
  return {"gradient", "dL/dA within its bound of the reference's", {.deficient = 0, .scaled = 0}, check_gradient};
}

SvdProperty gradient_ties() {
  return {"gradient-ties", "equal and zero values: finite, and told", {.scaled = 0}, check_ties};
}

}  // namespace assay::validation::svd
