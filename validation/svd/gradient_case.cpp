#include "validation/svd/gradient_case.h"

#include "reference/svd/gradient.h"
#include "validation/core/number.h"
#include "validation/core/random.h"

namespace assay::validation {
namespace {

using reference::Matrix;

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

}  // namespace

SvdGradientCase gradient_case(const SvdCase& c, const SvdMatrixTruth& truth) {
  SvdGradientCase f{c.M, c.N, c.K(), rounded(truth.factors.U), {}, rounded(truth.factors.Vh), {}, {}, {}};
  for (const BigFloat& value : truth.factors.S) f.S.push_back(to_double(value));
  return f;
}

void differentiate(SvdGradientCase& f) {
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

std::vector<BigFloat> exact_gradient(const SvdGradientCase& f, int digits) {
  const reference::PrecisionScope scope(digits);
  reference::SvdFactors<BigFloat> factors{widened(f.M, f.K, f.U), {}, widened(f.K, f.N, f.Vh)};
  reference::SvdCotangents<BigFloat> cotangents{widened(f.M, f.K, f.dU), {}, widened(f.K, f.N, f.dVh)};
  for (const double value : f.S) factors.S.emplace_back(value);
  for (const double value : f.dS) cotangents.dS.emplace_back(value);
  const Matrix<BigFloat> dA = reference::svd_gradient(factors, cotangents).dA;
  std::vector<BigFloat> elements;
  for (std::int64_t i = 0; i < f.M; ++i)
    for (std::int64_t j = 0; j < f.N; ++j) elements.push_back(dA(i, j));
  return elements;
}

std::vector<double> run_gradient(const SvdKernel& kernel, const SvdGradientCase& f, metal::SvdGradientNotes& notes,
                                 Footprint& footprint) {
  GuardedOutput<double> dA("dA", static_cast<std::size_t>(f.M * f.N));
  notes = kernel.gradient(f.view(), dA.view());
  dA.inspect(footprint);
  return {dA.view().begin(), dA.view().end()};
}

}  // namespace assay::validation
