// The rSVD on a device: N. Halko, P. G. Martinsson and J. A. Tropp (SIAM Review 53, 2011), algorithms 4.4 and 5.1, all
// matrices of a batch in the same dispatches.
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
using host::ThinFactors;
using reference::RandomizedSvd;
using reference::SvdProblem;
using Floats = std::vector<float>;

/// Matrices are processed together up to this number of elements (64 MiB of floats).
constexpr std::uint64_t elements_at_once = 1 << 24;

/// Standard normal numbers [rows, columns].
Floats random_subspace(std::uint64_t seed, std::uint32_t rows, std::uint32_t columns) {
  Floats numbers(std::size_t{rows} * columns);
  for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = static_cast<float>(reference::standard_normal(seed, n));
  return numbers;
}

/// Matrices A of one shape on a device.
class RangeFinder {
 public:
  RangeFinder(const Svd& svd, const host::SvdEngine& engine, host::Pipelines& pipelines, const SvdFactor& A,
              std::uint64_t max_work)
      : svd_(svd), engine_(engine), pipelines_(pipelines), matrices_(A), max_work_(max_work) {}

  /// U [B, M, width], S [B, width] and Vh [B, width, N] of A, projected on a subspace of `width` dimensions.
  Result<ThinFactors> run(std::uint32_t width, const RandomizedSvd& randomized) const {
    Result<Floats> Q = basis_of_product(matrices_, random_subspace(randomized.seed, matrices_.columns, width), width);
    for (std::int64_t n = 0; Q && n < randomized.power_iterations; ++n) {
      Q = basis_of_product(matrices_.transposed(), *Q, width);
      if (Q) Q = basis_of_product(matrices_, *Q, width);
    }
    if (!Q) return tl::unexpected(Q.error());
    const SvdFactor basis{*Q, matrices_.rows, width};
    const Result<Floats> small = multiply(basis.transposed(), matrices_);
    if (!small) return tl::unexpected(small.error());
    Result<ThinFactors> factors = decompose({*small, width, matrices_.columns});
    if (!factors) return factors;
    Result<Floats> U = multiply(basis, {factors->U, width, width});
    if (!U) return tl::unexpected(U.error());
    factors->U = std::move(*U);
    return factors;
  }

 private:
  Result<Floats> multiply(const SvdFactor& first, const SvdFactor& second) const {
    return host::svd_multiply(engine_, pipelines_, first, second, max_work_);
  }

  Result<ThinFactors> decompose(const SvdFactor& matrices) const {
    const std::size_t B = matrices.count(), rows = matrices.rows, columns = matrices.columns;
    const std::size_t K = std::min(rows, columns);
    ThinFactors factors{Floats(B * rows * K), Floats(B * K), Floats(B * K * columns)};
    const SvdProblem<float> problem{static_cast<std::int64_t>(B), matrices.rows, matrices.columns, matrices.elements};
    const Result<void> done = svd_(problem, {factors.U, factors.S, factors.Vh});
    if (!done) return tl::unexpected(done.error());
    return factors;
  }

  /// A basis of the columns of first second, second [.., width].
  Result<Floats> basis_of_product(const SvdFactor& first, const Floats& second, std::uint32_t width) const {
    Result<Floats> product = multiply(first, {second, first.columns, width});
    if (!product) return product;
    Result<ThinFactors> factors = decompose({*product, first.rows, width});
    if (!factors) return tl::unexpected(factors.error());
    return std::move(factors->U);
  }

  const Svd& svd_;
  host::SvdEngine engine_;
  host::Pipelines& pipelines_;
  SvdFactor matrices_;
  std::uint64_t max_work_;
};

/// Writes the triplets of all matrices that were found.
template <class Real>
void write_all(const ThinFactors& from, const std::vector<int>& powers, std::size_t rank, const SvdOutput<Real>& to) {
  const std::size_t B = powers.size();
  for (std::size_t b = 0; b < B; ++b)
    host::write_triplets<Real>(from.of(B, b), powers[b], rank,
                               {host::part_of(to.U, B, b), host::part_of(to.S, B, b), host::part_of(to.Vh, B, b)});
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
  const auto B = static_cast<std::uint64_t>(problem.B), rank = static_cast<std::uint64_t>(randomized.rank);
  const std::uint64_t chunk = std::max<std::uint64_t>(1, elements_at_once / (M * N));
  for (std::uint64_t first = 0; first < B; first += chunk) {
    const std::uint64_t count = std::min(chunk, B - first);
    const auto some = [&](auto all) { return host::part_of(all, B, first, count); };
    const host::ScaledMatrices A = host::scaled_matrices(some(problem.A), count);
    const SvdFactor factor{A.elements, static_cast<std::uint32_t>(M), static_cast<std::uint32_t>(N)};
    const Result<ThinFactors> found =
        RangeFinder(*this, {*device_, *queue_, *mutex_}, *pipelines_, factor, options_.max_work).run(width, randomized);
    if (!found) return tl::unexpected(found.error());
    write_all<Real>(*found, A.powers, rank, {some(output.U), some(output.S), some(output.Vh)});
  }
  return {};
}

template Result<void> Svd::randomized(const SvdProblem<float>&, const RandomizedSvd&, const SvdOutput<float>&) const;
template Result<void> Svd::randomized(const SvdProblem<double>&, const RandomizedSvd&, const SvdOutput<double>&) const;
template Result<void> Svd::randomized(const SvdProblem<Half>&, const RandomizedSvd&, const SvdOutput<Half>&) const;
template Result<void> Svd::randomized(const SvdProblem<BFloat16>&, const RandomizedSvd&,
                                      const SvdOutput<BFloat16>&) const;

}  // namespace assay::metal
