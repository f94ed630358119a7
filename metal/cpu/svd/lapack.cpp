#include "metal/cpu/svd/lapack.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "metal/cpu/memory.h"

extern "C" {
void sbdsdc_(const char* uplo, const char* compq, const int* n, float* d, float* e, float* u, const int* ldu, float* vt,
             const int* ldvt, float* q, int* iq, float* work, int* iwork, int* info, std::size_t uplo_length,
             std::size_t compq_length);
void dbdsdc_(const char* uplo, const char* compq, const int* n, double* d, double* e, double* u, const int* ldu,
             double* vt, const int* ldvt, double* q, int* iq, double* work, int* iwork, int* info,
             std::size_t uplo_length, std::size_t compq_length);
void sgeqrf_(const int* m, const int* n, float* a, const int* lda, float* tau, float* work, const int* lwork,
             int* info);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* lwork,
             int* info);
void sorgqr_(const int* m, const int* n, const int* k, float* a, const int* lda, const float* tau, float* work,
             const int* lwork, int* info);
void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau, double* work,
             const int* lwork, int* info);
}

namespace assay::metal::cpu {

namespace {

template <class T>
struct Routines;
template <>
struct Routines<float> {
  static constexpr auto bdsdc = sbdsdc_;
  static constexpr auto geqrf = sgeqrf_;
  static constexpr auto orgqr = sorgqr_;
};
template <>
struct Routines<double> {
  static constexpr auto bdsdc = dbdsdc_;
  static constexpr auto geqrf = dgeqrf_;
  static constexpr auto orgqr = dorgqr_;
};

/// Calls routine(work, size) once to ask for the size of its work array, and again with an array of that size.
template <class T, class Routine>
void with_work(const Routine& routine) {
  T wanted = 0;
  int size = -1;
  routine(&wanted, &size);
  size = static_cast<int>(wanted * T(1.01)) + 1;  // T may have rounded it down
  AlignedMemory<T> work(size);
  routine(work.data(), &size);
}

}  // namespace

template <class T>
bool bidiagonal_svd(std::vector<T>& diagonal, std::vector<T>& off_diagonal, const DenseMatrix<T>& Ut,
                    const DenseMatrix<T>& V) {
  const auto finite = [](T x) { return std::isfinite(x); };
  if (!std::ranges::all_of(diagonal, finite) || !std::ranges::all_of(off_diagonal, finite)) return false;
  // In LAPACK's order of elements Ut is U and V is V^T.
  const int n = static_cast<int>(diagonal.size());
  const int left_stride = static_cast<int>(Ut.stride), right_stride = static_cast<int>(V.stride);
  const auto size = static_cast<std::int64_t>(n);
  AlignedMemory<T> work((3 * size + 4) * size);
  std::vector<int> integers(8 * diagonal.size());
  int info = 0;
  Routines<T>::bdsdc("U", "I", &n, diagonal.data(), off_diagonal.data(), Ut.data, &left_stride, V.data, &right_stride,
                     nullptr, nullptr, work.data(), integers.data(), &info, 1, 1);
  return info == 0;
}

template <class T>
void orthonormalize_rows(const DenseMatrix<T>& Y, const DenseMatrix<T>& L) {
  const int m = static_cast<int>(Y.columns), l = static_cast<int>(Y.rows), stride = static_cast<int>(Y.stride);
  std::vector<T> tau(static_cast<std::size_t>(l));
  int info = 0;
  with_work<T>(
      [&](T* work, const int* size) { Routines<T>::geqrf(&m, &l, Y.data, &stride, tau.data(), work, size, &info); });
  for (std::int64_t i = 0; i < L.rows; ++i) {
    std::copy_n(Y.row(i), i + 1, L.row(i));
    std::fill(L.row(i) + i + 1, L.row(i) + L.columns, T(0));
  }
  with_work<T>([&](T* work, const int* size) {
    Routines<T>::orgqr(&m, &l, &l, Y.data, &stride, tau.data(), work, size, &info);
  });
}

template bool bidiagonal_svd(std::vector<float>&, std::vector<float>&, const DenseMatrix<float>&,
                             const DenseMatrix<float>&);
template bool bidiagonal_svd(std::vector<double>&, std::vector<double>&, const DenseMatrix<double>&,
                             const DenseMatrix<double>&);
template void orthonormalize_rows(const DenseMatrix<float>&, const DenseMatrix<float>&);
template void orthonormalize_rows(const DenseMatrix<double>&, const DenseMatrix<double>&);

}  // namespace assay::metal::cpu
