// The gradient is that of the any-precision reference for the same factors, of functions that do not depend on the
// choice of U and Vh: L = <W, U g(S) Vh> with g(s) = s^3, which is <W, A A^T A>. (That the reference's is the
// derivative, differentiation at any precision shows: tests/reference.)
//
// With singular values that are equal, or 0, what is undetermined is left out, and counted; nothing is infinite.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/svd/gradient.h"
#include "validation/core/guarded_output.h"
#include "validation/core/number.h"
#include "validation/core/random.h"
#include "validation/svd/compare.h"
#include "validation/svd/gradient_bounds.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

using reference::Matrix;

/// One matrix's factors in double, and the cotangents of L.
struct Factored {
  std::int64_t M = 0, N = 0, K = 0;
  std::vector<double> U, S, Vh, dU, dS, dVh;

  metal::SvdCotangent<double> view() const { return {1, M, N, U, S, Vh, dU, dS, dVh}; }
};

std::vector<double> rounded(const Matrix<BigFloat>& matrix) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < matrix.rows(); ++i)
    for (std::int64_t j = 0; j < matrix.cols(); ++j) values.push_back(to_double(matrix(i, j)));
  return values;
}

Matrix<BigFloat> widened(std::int64_t rows, std::int64_t columns, const std::vector<double>& values) {
  Matrix<BigFloat> matrix(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      matrix(i, j) = BigFloat(values[static_cast<std::size_t>(i * columns + j)]);
  return matrix;
}

/// dU = W V g(S), dVh = g(S) U^T W, dS_k = g'(s_k) u_k^T W v_k for a W of Gaussian numbers.
void differentiate(Factored& f) {
  Random random(5);
  std::vector<double> W;
  for (std::int64_t at = 0; at < f.M * f.N; ++at) W.push_back(random.gaussian());
  const auto U = [&](std::int64_t i, std::int64_t k) { return f.U[static_cast<std::size_t>(i * f.K + k)]; };
  const auto Vh = [&](std::int64_t k, std::int64_t j) { return f.Vh[static_cast<std::size_t>(k * f.N + j)]; };
  f.dU.assign(f.U.size(), 0);
  f.dVh.assign(f.Vh.size(), 0);
  f.dS.assign(f.S.size(), 0);
  for (std::int64_t k = 0; k < f.K; ++k) {
    const double s = f.S[static_cast<std::size_t>(k)];
    for (std::int64_t i = 0; i < f.M; ++i) {
      for (std::int64_t j = 0; j < f.N; ++j) {
        const double w = W[static_cast<std::size_t>(i * f.N + j)];
        f.dU[static_cast<std::size_t>(i * f.K + k)] += w * Vh(k, j) * s * s * s;
        f.dVh[static_cast<std::size_t>(k * f.N + j)] += w * U(i, k) * s * s * s;
        f.dS[static_cast<std::size_t>(k)] += 3 * s * s * U(i, k) * w * Vh(k, j);
      }
    }
  }
}

Factored factored(const SvdCase& c, const SvdMatrixTruth& truth) {
  Factored f{c.M, c.N, c.K(), rounded(truth.factors.U), {}, rounded(truth.factors.Vh), {}, {}, {}};
  for (const BigFloat& value : truth.factors.S) f.S.push_back(to_double(value));
  return f;
}

/// What the kernel writes, which is NaN where it writes nothing; a write beside it fails.
std::vector<double> gradient_of(const SvdKernel& kernel, const Factored& f, metal::SvdGradientNotes& notes,
                                Comparison& comparison) {
  GuardedOutput<double> dA("dA", static_cast<std::size_t>(f.M * f.N));
  notes = kernel.gradient(f.view(), dA.view());
  Footprint footprint;
  dA.inspect(footprint);
  if (!footprint.trespasses.empty()) comparison.fail("  " + footprint.trespasses[0]);
  return {dA.view().begin(), dA.view().end()};
}

/// The gradient of a kernel against the reference's, of the same factors.
void hold_gradient(Comparison& comparison, const Factored& f, const std::vector<double>& dA, std::int64_t b,
                   int digits) {
  const reference::PrecisionScope scope(digits);
  reference::SvdFactors<BigFloat> factors{widened(f.M, f.K, f.U), {}, widened(f.K, f.N, f.Vh)};
  reference::SvdCotangents<BigFloat> cotangents{widened(f.M, f.K, f.dU), {}, widened(f.K, f.N, f.dVh)};
  for (const double value : f.S) factors.S.emplace_back(value);
  for (const double value : f.dS) cotangents.dS.emplace_back(value);
  const Matrix<BigFloat> expected = reference::svd_gradient(factors, cotangents).dA;
  const std::vector<double> bounds = gradient_bounds(f.view());
  for (std::int64_t i = 0; i < f.M; ++i)
    for (std::int64_t j = 0; j < f.N; ++j)
      comparison.near({"dA", b, i, j, "bij"}, dA[static_cast<std::size_t>(i * f.N + j)], expected(i, j),
                      bounds[static_cast<std::size_t>(i * f.N + j)]);
}

Finding without_gradient() {
  return Finding::skip("the kernel has no gradient");
}

Finding check(const SvdContext& context, const SvdCase& c) {
  if (!context.kernel.info().has_gradient) return without_gradient();
  const auto truth = context.truth_of(c);
  Comparison comparison;
  for (std::int64_t b = 0; b < c.B; ++b) {
    Factored f = factored(c, truth->matrices[static_cast<std::size_t>(b)]);
    differentiate(f);
    metal::SvdGradientNotes notes;
    hold_gradient(comparison, f, gradient_of(context.kernel, f, notes, comparison), b, context.digits);
  }
  return comparison.finding();
}

/// Singular values moved to 0, 1/2 and 1 times the largest.
void make_ties(Factored& f) {
  const double largest = f.S[0] > 0 ? f.S[0] : 1;
  for (double& value : f.S) value = std::round(2 * value / largest) / 2;
}

/// A verdict on what the kernel says it left out; nothing where that is so.
std::string miscounted(const Factored& f, const metal::SvdGradientNotes& notes) {
  std::int64_t equal = 0;
  for (std::size_t i = 0; i < f.S.size(); ++i)
    equal += std::count(f.S.begin(), f.S.begin() + static_cast<std::ptrdiff_t>(i), f.S[i]);
  const std::int64_t zero = f.M == f.N ? 0 : std::count(f.S.begin(), f.S.end(), 0.0);
  if (notes.equal_values == equal && notes.zero_values == zero) return {};
  return fmt::format("  notes of {} equal and {} zero values: expected {} and {}", notes.equal_values,
                     notes.zero_values, equal, zero);
}

Finding check_ties(const SvdContext& context, const SvdCase& c) {
  if (!context.kernel.info().has_gradient) return without_gradient();
  const auto truth = context.truth_of(c);
  Comparison comparison;
  for (std::int64_t b = 0; b < c.B; ++b) {
    Factored f = factored(c, truth->matrices[static_cast<std::size_t>(b)]);
    make_ties(f);
    differentiate(f);
    metal::SvdGradientNotes notes;
    const std::vector<double> dA = gradient_of(context.kernel, f, notes, comparison);
    const std::string wrong = miscounted(f, notes);
    if (!wrong.empty()) return Finding::fail(wrong);
    hold_gradient(comparison, f, dA, b, context.digits);
  }
  return comparison.finding();
}

}  // namespace

SvdProperty gradient() {
  return {"gradient", "dL/dA within its bound of the reference's", {.deficient = 0, .scaled = 0}, check};
}

SvdProperty gradient_ties() {
  return {"gradient-ties", "equal and zero values: finite, and told", {.scaled = 0}, check_ties};
}

}  // namespace assay::validation::svd
