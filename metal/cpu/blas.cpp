#include "metal/cpu/blas.h"

#include <cblas.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "metal/device/no_addresses.h"

namespace assay::metal::cpu {

namespace {

blasint as_blas(std::int64_t size) {
  return static_cast<blasint>(size);  // callers refuse sizes that do not fit
}

CBLAS_TRANSPOSE as_blas(Transpose transpose) {
  return transpose == Transpose::yes ? CblasTrans : CblasNoTrans;
}

struct Setting {
  std::mutex mutex;
  int users = 0;
  int threads = 1;
  bool has_addresses = false;
};

/// OpenBLAS maps a buffer for each thread that calls it, and tries again for ever if it gets none.
void require_addresses() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const std::size_t bytes = (std::size_t{128} << 20) * std::max(std::thread::hardware_concurrency(), 1U);
  void* const memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0);
  if (memory == MAP_FAILED)
    throw NoAddresses(
        "no memory for OpenBLAS, which needs 128 MiB of addresses for each thread: raise the limit (ulimit -v)");
  munmap(memory, bytes);
}

Setting& setting() {
  static Setting the_one;
  return the_one;
}

}  // namespace

SerialBlas::SerialBlas() {
  const std::scoped_lock lock(setting().mutex);
  if (!setting().has_addresses) require_addresses();
  setting().has_addresses = true;
  if (setting().users++ > 0) return;
  setting().threads = openblas_get_num_threads();
  openblas_set_num_threads(1);
}

SerialBlas::~SerialBlas() {
  const std::scoped_lock lock(setting().mutex);
  if (--setting().users == 0) openblas_set_num_threads(setting().threads);
}

template <>
void multiply(float alpha, Transpose of_a, const DenseMatrix<float>& a, Transpose of_b, const DenseMatrix<float>& b,
              float beta, const DenseMatrix<float>& c) {
  cblas_sgemm(CblasRowMajor, as_blas(of_a), as_blas(of_b), as_blas(c.rows), as_blas(c.columns),
              as_blas(of_a == Transpose::yes ? a.rows : a.columns), alpha, a.data, as_blas(a.stride), b.data,
              as_blas(b.stride), beta, c.data, as_blas(c.stride));
}

template <>
void multiply(double alpha, Transpose of_a, const DenseMatrix<double>& a, Transpose of_b, const DenseMatrix<double>& b,
              double beta, const DenseMatrix<double>& c) {
  cblas_dgemm(CblasRowMajor, as_blas(of_a), as_blas(of_b), as_blas(c.rows), as_blas(c.columns),
              as_blas(of_a == Transpose::yes ? a.rows : a.columns), alpha, a.data, as_blas(a.stride), b.data,
              as_blas(b.stride), beta, c.data, as_blas(c.stride));
}

void add_gram(const DenseMatrix<double>& A, const DenseMatrix<double>& C) {
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, as_blas(C.rows), as_blas(A.rows), 1, A.data, as_blas(A.stride), 1,
              C.data, as_blas(C.stride));
}

template <>
void solve_triangular(const DenseMatrix<float>& R, const DenseMatrix<float>& X) {
  cblas_strsm(CblasRowMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, as_blas(X.rows), as_blas(X.columns), 1,
              R.data, as_blas(R.stride), X.data, as_blas(X.stride));
}

template <>
void solve_triangular(const DenseMatrix<double>& R, const DenseMatrix<double>& X) {
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, as_blas(X.rows), as_blas(X.columns), 1,
              R.data, as_blas(R.stride), X.data, as_blas(X.stride));
}

}  // namespace assay::metal::cpu
