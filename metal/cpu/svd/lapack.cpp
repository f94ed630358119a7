#include "metal/cpu/svd/lapack.h"

#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "metal/cpu/memory.h"

extern "C" {
void sgesdd_(const char* jobz, const int* m, const int* n, float* a, const int* lda, float* s, float* u, const int* ldu,
             float* vt, const int* ldvt, float* work, const int* lwork, int* iwork, int* info, std::size_t jobz_length);
void dgesdd_(const char* jobz, const int* m, const int* n, double* a, const int* lda, double* s, double* u,
             const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* iwork, int* info,
             std::size_t jobz_length);
void sgeqrf_(const int* m, const int* n, float* a, const int* lda, float* tau, float* work, const int* lwork,
             int* info);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* lwork,
             int* info);
void sorgqr_(const int* m, const int* n, const int* k, float* a, const int* lda, const float* tau, float* work,
             const int* lwork, int* info);
void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau, double* work,
             const int* lwork, int* info);
void dlasq1_(const int* n, double* d, double* e, double* work, int* info);
}

namespace assay::metal::cpu {

namespace {

template <class T>
struct Routines;
template <>
struct Routines<float> {
  static constexpr auto gesdd = sgesdd_;
  static constexpr auto geqrf = sgeqrf_;
  static constexpr auto orgqr = sorgqr_;
};
template <>
struct Routines<double> {
  static constexpr auto gesdd = dgesdd_;
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
bool gesdd(const DenseMatrix<T>& A, const DenseMatrix<T>& U, T* S, const DenseMatrix<T>& Vh) {
  // In LAPACK's order of elements A is A^T [n, m] = (Vh^T) diag(S) (U^T): its left factor is Vh, its right one U.
  if (A.rows > std::numeric_limits<int>::max() / (A.columns + 1) / 8) return false;
  const int m = static_cast<int>(A.columns), n = static_cast<int>(A.rows), stride = static_cast<int>(A.stride);
  const int left_stride = static_cast<int>(Vh.stride), right_stride = static_cast<int>(U.stride);
  AlignedMemory<T> copy(A.rows * A.stride);
  std::memcpy(copy.data(), A.data, static_cast<std::size_t>(A.rows * A.stride) * sizeof(T));
  std::vector<int> integers(8 * static_cast<std::size_t>(m));
  int info = 0;
  with_work<T>([&](T* work, const int* size) {
    Routines<T>::gesdd("S", &m, &n, copy.data(), &stride, S, Vh.data, &left_stride, U.data, &right_stride, work, size,
                       integers.data(), &info, 1);
  });
  return info == 0;
}

bool bidiagonal_values(std::vector<double>& diagonal, std::vector<double>& off_diagonal) {
  const int n = static_cast<int>(diagonal.size());
  std::vector<double> work(4 * diagonal.size());
  int info = 0;
  dlasq1_(&n, diagonal.data(), off_diagonal.data(), work.data(), &info);
  return info == 0;
}

template <class T>
void orthonormalize_rows(const DenseMatrix<T>& Y) {
  const int m = static_cast<int>(Y.columns), l = static_cast<int>(Y.rows), stride = static_cast<int>(Y.stride);
  std::vector<T> tau(static_cast<std::size_t>(l));
  int info = 0;
  with_work<T>(
      [&](T* work, const int* size) { Routines<T>::geqrf(&m, &l, Y.data, &stride, tau.data(), work, size, &info); });
  with_work<T>([&](T* work, const int* size) {
    Routines<T>::orgqr(&m, &l, &l, Y.data, &stride, tau.data(), work, size, &info);
  });
}

template bool gesdd(const DenseMatrix<float>&, const DenseMatrix<float>&, float*, const DenseMatrix<float>&);
template bool gesdd(const DenseMatrix<double>&, const DenseMatrix<double>&, double*, const DenseMatrix<double>&);
template void orthonormalize_rows(const DenseMatrix<float>&);
template void orthonormalize_rows(const DenseMatrix<double>&);

}  // namespace assay::metal::cpu
