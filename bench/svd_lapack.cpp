// LAPACK takes matrices by columns: what it takes for A is A^T, so that its left vectors are rows of Vh.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "bench/svd_peers.h"

extern "C" {
void sgesdd_(const char* jobz, const int* m, const int* n, float* a, const int* lda, float* s, float* u, const int* ldu,
             float* vt, const int* ldvt, float* work, const int* lwork, int* iwork, int* info, std::size_t);
void sgesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, float* a, const int* lda, float* s,
             float* u, const int* ldu, float* vt, const int* ldvt, float* work, const int* lwork, int* info,
             std::size_t, std::size_t);
void sgesvj_(const char* joba, const char* jobu, const char* jobv, const int* m, const int* n, float* a, const int* lda,
             float* sva, const int* mv, float* v, const int* ldv, float* work, const int* lwork, int* info, std::size_t,
             std::size_t, std::size_t);
void sgejsv_(const char* joba, const char* jobu, const char* jobv, const char* jobr, const char* jobt, const char* jobp,
             const int* m, const int* n, float* a, const int* lda, float* sva, float* u, const int* ldu, float* v,
             const int* ldv, float* work, const int* lwork, int* iwork, int* info, std::size_t, std::size_t,
             std::size_t, std::size_t, std::size_t, std::size_t);
void dgesdd_(const char* jobz, const int* m, const int* n, double* a, const int* lda, double* s, double* u,
             const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* iwork, int* info,
             std::size_t);
void dgesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* info,
             std::size_t, std::size_t);
void dgesvj_(const char* joba, const char* jobu, const char* jobv, const int* m, const int* n, double* a,
             const int* lda, double* sva, const int* mv, double* v, const int* ldv, double* work, const int* lwork,
             int* info, std::size_t, std::size_t, std::size_t);
void dgejsv_(const char* joba, const char* jobu, const char* jobv, const char* jobr, const char* jobt, const char* jobp,
             const int* m, const int* n, double* a, const int* lda, double* sva, double* u, const int* ldu, double* v,
             const int* ldv, double* work, const int* lwork, int* iwork, int* info, std::size_t, std::size_t,
             std::size_t, std::size_t, std::size_t, std::size_t);
}

namespace assay::bench {

namespace {

template <class Real>
struct Lapack;
template <>
struct Lapack<float> {
  static constexpr auto gesdd = sgesdd_;
  static constexpr auto gesvd = sgesvd_;
  static constexpr auto gesvj = sgesvj_;
  static constexpr auto gejsv = sgejsv_;
};
template <>
struct Lapack<double> {
  static constexpr auto gesdd = dgesdd_;
  static constexpr auto gesvd = dgesvd_;
  static constexpr auto gesvj = dgesvj_;
  static constexpr auto gejsv = dgejsv_;
};

/// Scratch memory of a thread, for matrices of n columns.
template <class Real>
struct Scratch {
  int n = 0, lwork = 0;
  std::vector<Real> copy, work;
  std::vector<int> iwork;
};

template <class Real>
Scratch<Real>& scratch_of(std::int64_t n, const Real* A) {
  thread_local Scratch<Real> scratch;
  if (scratch.n != n) {
    const auto size = static_cast<std::size_t>(n);
    scratch.n = static_cast<int>(n);
    scratch.work.resize(8 * size * size + 200 * size + 1000);
    scratch.lwork = static_cast<int>(scratch.work.size());
    scratch.iwork.resize(8 * size + 8);
  }
  scratch.copy.assign(A, A + n * n);
  return scratch;
}

template <class Real>
void transpose(std::int64_t n, Real* A) {
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < i; ++j) std::swap(A[i * n + j], A[j * n + i]);
}

template <class Real>
bool gesdd(std::int64_t columns, const Real* A, Real* U, Real* S, Real* Vh) {
  Scratch<Real>& s = scratch_of(columns, A);
  int info = 0;
  Lapack<Real>::gesdd("S", &s.n, &s.n, s.copy.data(), &s.n, S, Vh, &s.n, U, &s.n, s.work.data(), &s.lwork,
                      s.iwork.data(), &info, 1);
  return info == 0;
}

template <class Real>
bool gesvd(std::int64_t columns, const Real* A, Real* U, Real* S, Real* Vh) {
  Scratch<Real>& s = scratch_of(columns, A);
  int info = 0;
  Lapack<Real>::gesvd("S", "S", &s.n, &s.n, s.copy.data(), &s.n, S, Vh, &s.n, U, &s.n, s.work.data(), &s.lwork, &info,
                      1, 1);
  return info == 0;
}

template <class Real>
bool gesvj(std::int64_t columns, const Real* A, Real* U, Real* S, Real* Vh) {
  Scratch<Real>& s = scratch_of(columns, A);
  int info = 0;
  const int mv = 0;
  Lapack<Real>::gesvj("G", "U", "V", &s.n, &s.n, s.copy.data(), &s.n, S, &mv, U, &s.n, s.work.data(), &s.lwork, &info,
                      1, 1, 1);
  std::copy(s.copy.begin(), s.copy.end(), Vh);
  for (int k = 0; k < s.n; ++k) S[k] *= s.work[0];
  transpose(columns, U);
  return info == 0;
}

template <class Real>
bool gejsv(std::int64_t columns, const Real* A, Real* U, Real* S, Real* Vh) {
  Scratch<Real>& s = scratch_of(columns, A);
  int info = 0;
  Lapack<Real>::gejsv("F", "U", "V", "N", "N", "N", &s.n, &s.n, s.copy.data(), &s.n, S, Vh, &s.n, U, &s.n,
                      s.work.data(), &s.lwork, s.iwork.data(), &info, 1, 1, 1, 1, 1, 1);
  for (int k = 0; k < s.n; ++k) S[k] *= s.work[0] / s.work[1];
  transpose(columns, U);
  return info == 0;
}

}  // namespace

template <class Real>
std::vector<SvdPeer<Real>> svd_peers() {
  std::vector<SvdPeer<Real>> peers = {{"gesdd", gesdd<Real>, 1024},
                                      {"gesvd", gesvd<Real>, 128},
                                      {"gesvj", gesvj<Real>, 512},
                                      {"gejsv", gejsv<Real>, 512}};
  const std::vector<SvdPeer<Real>> eigen = eigen_peers<Real>();
  peers.insert(peers.end(), eigen.begin(), eigen.end());
  return peers;
}

template std::vector<SvdPeer<float>> svd_peers();
template std::vector<SvdPeer<double>> svd_peers();

}  // namespace assay::bench
