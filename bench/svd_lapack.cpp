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
}

namespace assay::bench {

namespace {

/// Scratch memory of a thread, for matrices of n columns.
struct Scratch {
  int n = 0, lwork = 0;
  std::vector<float> copy, work;
  std::vector<int> iwork;
};

Scratch& scratch_of(std::int64_t n, const float* A) {
  thread_local Scratch scratch;
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

void transpose(std::int64_t n, float* A) {
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < i; ++j) std::swap(A[i * n + j], A[j * n + i]);
}

bool gesdd(std::int64_t columns, const float* A, float* U, float* S, float* Vh) {
  Scratch& s = scratch_of(columns, A);
  int info = 0;
  sgesdd_("S", &s.n, &s.n, s.copy.data(), &s.n, S, Vh, &s.n, U, &s.n, s.work.data(), &s.lwork, s.iwork.data(), &info,
          1);
  return info == 0;
}

bool gesvd(std::int64_t columns, const float* A, float* U, float* S, float* Vh) {
  Scratch& s = scratch_of(columns, A);
  int info = 0;
  sgesvd_("S", "S", &s.n, &s.n, s.copy.data(), &s.n, S, Vh, &s.n, U, &s.n, s.work.data(), &s.lwork, &info, 1, 1);
  return info == 0;
}

bool gesvj(std::int64_t columns, const float* A, float* U, float* S, float* Vh) {
  Scratch& s = scratch_of(columns, A);
  int info = 0;
  const int mv = 0;
  sgesvj_("G", "U", "V", &s.n, &s.n, s.copy.data(), &s.n, S, &mv, U, &s.n, s.work.data(), &s.lwork, &info, 1, 1, 1);
  std::copy(s.copy.begin(), s.copy.end(), Vh);
  for (int k = 0; k < s.n; ++k) S[k] *= s.work[0];
  transpose(columns, U);
  return info == 0;
}

bool gejsv(std::int64_t columns, const float* A, float* U, float* S, float* Vh) {
  Scratch& s = scratch_of(columns, A);
  int info = 0;
  sgejsv_("F", "U", "V", "N", "N", "N", &s.n, &s.n, s.copy.data(), &s.n, S, Vh, &s.n, U, &s.n, s.work.data(), &s.lwork,
          s.iwork.data(), &info, 1, 1, 1, 1, 1, 1);
  for (int k = 0; k < s.n; ++k) S[k] *= s.work[0] / s.work[1];
  transpose(columns, U);
  return info == 0;
}

}  // namespace

std::vector<SvdPeer> svd_peers() {
  std::vector<SvdPeer> peers = {
      {"gesdd", gesdd, 1024}, {"gesvd", gesvd, 128}, {"gesvj", gesvj, 512}, {"gejsv", gejsv, 512}};
  const std::vector<SvdPeer> eigen = eigen_peers();
  peers.insert(peers.end(), eigen.begin(), eigen.end());
  return peers;
}

}  // namespace assay::bench
