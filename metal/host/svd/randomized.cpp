// The rSVD on a device: N. Halko, P. G. Martinsson and J. A. Tropp (SIAM Review 53, 2011), algorithms 4.4 and 5.1, each
// matrix by itself.
//
//   Q = basis of A Omega, Omega [N, width] the normal numbers of reference/svd/gaussian.h
//   power_iterations times: Q = basis of A (basis of A^T Q)
//   Q^T A = U' S Vh,   U = Q U'
//
// A basis is U of the SVD by the kernels, which is orthonormal for any rank.
#include "metal/host/svd/randomized.h"

#include <algorithm>
#include <utility>

#include "metal/host/svd/multiply.h"
#include "metal/host/svd/outputs.h"
#include "metal/host/svd/svd.h"
#include "reference/svd/gaussian.h"
#include "reference/svd/validate.h"

namespace assay::metal {

namespace {

using host::SvdFactor;
using reference::RandomizedSvd;
using reference::SvdProblem;
using Floats = std::vector<float>;

/// Thin factors of one matrix.
struct Factors {
  Floats U, S, Vh;
};

/// Standard normal numbers [rows, columns].
Floats random_subspace(std::uint64_t seed, std::uint32_t rows, std::uint32_t columns) {
  Floats numbers(std::size_t{rows} * columns);
  for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = static_cast<float>(reference::standard_normal(seed, n));
  return numbers;
}

/// One matrix A on a device.
class RangeFinder {
 public:
  RangeFinder(const Svd& svd, const host::SvdEngine& engine, host::Pipelines& pipelines, const SvdFactor& A)
      : svd_(svd), engine_(engine), pipelines_(pipelines), matrix_(A) {}

  /// U [M, width], S [width] and Vh [width, N] of A, projected on a subspace of `width` dimensions.
  Result<Factors> run(std::uint32_t width, const RandomizedSvd& randomized) const {
    Result<Floats> Q = basis_of_product(matrix_, random_subspace(randomized.seed, matrix_.columns, width), width);
    for (std::int64_t n = 0; Q && n < randomized.power_iterations; ++n) {
      Q = basis_of_product(matrix_.transposed(), *Q, width);
      if (Q) Q = basis_of_product(matrix_, *Q, width);
    }
    if (!Q) return tl::unexpected(Q.error());
    const SvdFactor basis{*Q, matrix_.rows, width};
    const Result<Floats> small = host::svd_multiply(engine_, pipelines_, basis.transposed(), matrix_);
    if (!small) return tl::unexpected(small.error());
    Result<Factors> factors = decompose({*small, width, matrix_.columns});
    if (!factors) return factors;
    Result<Floats> U = host::svd_multiply(engine_, pipelines_, basis, {factors->U, width, width});
    if (!U) return tl::unexpected(U.error());
    factors->U = std::move(*U);
    return factors;
  }

 private:
  Result<Factors> decompose(const SvdFactor& matrix) const {
    const std::size_t rows = matrix.rows, columns = matrix.columns, K = std::min(rows, columns);
    Factors factors{Floats(rows * K), Floats(K), Floats(K * columns)};
    const Result<void> done =
        svd_(SvdProblem<float>{1, matrix.rows, matrix.columns, matrix.elements}, {factors.U, factors.S, factors.Vh});
    if (!done) return tl::unexpected(done.error());
    return factors;
  }

  /// A basis of the columns of first second, second [.., width].
  Result<Floats> basis_of_product(const SvdFactor& first, const Floats& second, std::uint32_t width) const {
    Result<Floats> product = host::svd_multiply(engine_, pipelines_, first, {second, first.columns, width});
    if (!product) return product;
    Result<Factors> factors = decompose({*product, first.rows, width});
    if (!factors) return tl::unexpected(factors.error());
    return std::move(factors->U);
  }

  const Svd& svd_;
  host::SvdEngine engine_;
  host::Pipelines& pipelines_;
  SvdFactor matrix_;
};

/// The outputs of matrix b of B.
template <class Real>
SvdOutput<Real> output_of(const SvdOutput<Real>& all, std::size_t B, std::size_t b) {
  const auto part = [&](auto whole) { return whole.subspan(b * (whole.size() / B), whole.size() / B); };
  return {part(all.U), part(all.S), part(all.Vh)};
}

}  // namespace

template <class Real>
Result<void> Svd::randomized(const SvdProblem<Real>& problem, const RandomizedSvd& randomized,
                             const SvdOutput<Real>& output) const {
  if (!is_on_device<Real>()) return host::on_cpu([&] { randomized_svd(problem, randomized, output); });
  reference::validate(problem);
  reference::validate(randomized, problem);
  host::validate_output(problem, randomized.rank, output);
  reference::validate_values(problem);
  const auto M = static_cast<std::uint64_t>(problem.M), N = static_cast<std::uint64_t>(problem.N);
  if (Result<void> fits = host::check_svd_extents(M, N); !fits) return fits;
  const std::int64_t oversampling = std::min(randomized.oversampling, problem.K() - randomized.rank);
  const auto width = static_cast<std::uint32_t>(randomized.rank + oversampling);
  const auto B = static_cast<std::size_t>(problem.B);
  for (std::size_t b = 0; b < B; ++b) {
    const host::ScaledMatrix A = host::scaled_matrix(problem.A.subspan(b * M * N, M * N));
    const SvdFactor factor{A.elements, static_cast<std::uint32_t>(M), static_cast<std::uint32_t>(N)};
    const RangeFinder finder(*this, {*device_, *queue_, *mutex_}, *pipelines_, factor);
    const Result<Factors> found = finder.run(width, randomized);
    if (!found) return tl::unexpected(found.error());
    host::write_triplets(host::WideFactors{width, A.power, found->U, found->S, found->Vh},
                         static_cast<std::size_t>(randomized.rank), output_of(output, B, b));
  }
  return {};
}

template Result<void> Svd::randomized(const SvdProblem<float>&, const RandomizedSvd&, const SvdOutput<float>&) const;
template Result<void> Svd::randomized(const SvdProblem<double>&, const RandomizedSvd&, const SvdOutput<double>&) const;
template Result<void> Svd::randomized(const SvdProblem<Half>&, const RandomizedSvd&, const SvdOutput<Half>&) const;
template Result<void> Svd::randomized(const SvdProblem<BFloat16>&, const RandomizedSvd&,
                                      const SvdOutput<BFloat16>&) const;

}  // namespace assay::metal
