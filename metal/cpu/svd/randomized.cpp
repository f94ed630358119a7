// randomized_svd: algorithms 4.4 and 5.1 of Halko, Martinsson and Tropp (2011), every subspace orthonormalized.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "metal/cpu/blas.h"
#include "metal/cpu/memory.h"
#include "metal/cpu/svd/call.h"
#include "metal/cpu/svd/lapack.h"
#include "metal/cpu/svd/signs.h"
#include "metal/cpu/svd/single.h"
#include "reference/svd/gaussian.h"
#include "reference/svd/validate.h"

namespace assay::metal {

namespace cpu {

namespace {

using reference::RandomizedSvd;
using reference::SingularValue;
using reference::SvdProblem;

/// Standard normal numbers [N, l], the same for every matrix of a batch.
template <class T>
std::vector<T> random_subspace(std::uint64_t seed, std::int64_t N, std::int64_t l) {
  std::vector<T> Omega(static_cast<std::size_t>(N * l));
  for (std::size_t i = 0; i < Omega.size(); ++i) Omega[i] = static_cast<T>(reference::standard_normal(seed, i));
  return Omega;
}

/// One matrix. The matrices of l columns are stored transposed, [l, M] and [l, N], which is LAPACK's order of elements.
template <class T>
class RandomizedDecomposition {
 public:
  RandomizedDecomposition(const SvdMatrix<T>& matrix, const RandomizedSvd& randomized, std::vector<T>& Omega)
      : matrix_(matrix),
        randomized_(randomized),
        l_(static_cast<std::int64_t>(Omega.size()) / matrix.N),
        A_memory_(matrix.M * matrix.N),
        Y_memory_(l_ * matrix.M),
        Z_memory_(l_ * matrix.N),
        A_{A_memory_.data(), matrix.M, matrix.N, matrix.N},
        Omega_{Omega.data(), matrix.N, l_, l_},
        Y_{Y_memory_.data(), l_, matrix.M, matrix.M},
        Z_{Z_memory_.data(), l_, matrix.N, matrix.N} {}

  SvdEnd run(const SvdTuning& tuning) {
    if (!load()) return SvdEnd::not_finite;
    multiply(T(1), Transpose::yes, Omega_, Transpose::yes, A_, T(0), Y_);
    orthonormalize_rows(Y_);
    for (std::int64_t i = 0; i < randomized_.power_iterations; ++i) {
      multiply(T(1), Transpose::no, Y_, Transpose::no, A_, T(0), Z_);
      orthonormalize_rows(Z_);
      multiply(T(1), Transpose::no, Z_, Transpose::yes, A_, T(0), Y_);
      orthonormalize_rows(Y_);
    }
    multiply(T(1), Transpose::no, Y_, Transpose::no, A_, T(0), Z_);
    return decompose_projection(tuning);
  }

 private:
  bool load() {
    if (!find_svd_scale(matrix_.A, matrix_.M, matrix_.N, scale_)) return false;
    for (std::int64_t i = 0; i < matrix_.M * matrix_.N; ++i) A_.data[i] = matrix_.A[i] * scale_.up[0] * scale_.up[1];
    return true;
  }

  /// Decomposes Z = Q^T A = U~ diag(S) Vh; then U = Q U~.
  SvdEnd decompose_projection(const SvdTuning& tuning) {
    const std::int64_t M = matrix_.M, N = matrix_.N, rank = randomized_.rank;
    std::vector<T> U(static_cast<std::size_t>(l_ * l_)), S(static_cast<std::size_t>(l_));
    AlignedMemory<T> Vh(l_ * N);
    const SvdEnd end = decompose(SvdMatrix<T>{Z_.data, l_, N, U.data(), S.data(), Vh.data()}, tuning, 1);
    if (end != SvdEnd::done) return end;
    for (std::int64_t r = 0; r < rank; ++r)
      matrix_.S[r] = S[static_cast<std::size_t>(r)] * scale_.down[0] * scale_.down[1];
    if (matrix_.U == nullptr) return end;
    AlignedMemory<T> product(M * rank);
    multiply<T>(T(1), Transpose::yes, Y_, Transpose::no, {U.data(), l_, rank, l_}, T(0),
                {product.data(), M, rank, rank});
    write_canonical<T>({product.data(), M, rank, rank, 1}, {Vh.data(), N, rank, 1, N}, {matrix_.U, M, rank, rank, 1},
                       {matrix_.Vh, N, rank, 1, N});
    return end;
  }

  const SvdMatrix<T>& matrix_;
  const RandomizedSvd& randomized_;
  std::int64_t l_;
  AlignedMemory<T> A_memory_, Y_memory_, Z_memory_;
  DenseMatrix<T> A_, Omega_, Y_, Z_;
  SvdScale<T> scale_ = {};
};

}  // namespace

}  // namespace cpu

template <class Real>
void randomized_svd(const reference::SvdProblem<Real>& problem, const reference::RandomizedSvd& randomized,
                    const SvdOutput<Real>& output, const SvdCpuOptions& options) {
  using T = reference::SingularValue<Real>;
  reference::validate(problem);
  reference::validate(randomized, problem);
  cpu::validate_svd_call(problem, output, randomized.rank, options.threads);
  if (problem.B == 0) return;
  const std::int64_t l = randomized.rank + std::min(randomized.oversampling, problem.K() - randomized.rank);
  std::vector<T> Omega = cpu::random_subspace<T>(randomized.seed, problem.N, l);
  const cpu::SvdTuning tuning;
  const cpu::SerialBlas serial;
  cpu::SvdCall<Real>(problem, output, randomized.rank, options.threads, 1)
      .run(
          [&](std::size_t, const cpu::SvdMatrix<T>& matrix, std::int64_t) {
            return cpu::trouble(cpu::RandomizedDecomposition<T>(matrix, randomized, Omega).run(tuning));
          },
          tuning.sweep_limit);
}

template void randomized_svd(const reference::SvdProblem<float>&, const reference::RandomizedSvd&,
                             const SvdOutput<float>&, const SvdCpuOptions&);
template void randomized_svd(const reference::SvdProblem<double>&, const reference::RandomizedSvd&,
                             const SvdOutput<double>&, const SvdCpuOptions&);
template void randomized_svd(const reference::SvdProblem<Half>&, const reference::RandomizedSvd&,
                             const SvdOutput<Half>&, const SvdCpuOptions&);
template void randomized_svd(const reference::SvdProblem<BFloat16>&, const reference::RandomizedSvd&,
                             const SvdOutput<BFloat16>&, const SvdCpuOptions&);

}  // namespace assay::metal
