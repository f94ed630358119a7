#include "metal/cpu/svd/lapack.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "metal/cpu/memory.h"

extern "C" {
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
  static constexpr auto geqrf = sgeqrf_;
  static constexpr auto orgqr = sorgqr_;
};
template <>
struct Routines<double> {
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

template void orthonormalize_rows(const DenseMatrix<float>&, const DenseMatrix<float>&);
template void orthonormalize_rows(const DenseMatrix<double>&, const DenseMatrix<double>&);

}  // namespace assay::metal::cpu
