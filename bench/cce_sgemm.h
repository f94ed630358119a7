// The rate of this machine's OpenBLAS in float32, with which the kernel's rate is compared.
#pragma once

#include <cblas.h>

#include <cstdint>
#include <vector>

#include "bench/cce_torch.h"
#include "bench/timing.h"

namespace assay::bench {

/// Products of large matrices on some threads, after which OpenBLAS has the setting that it had.
class Sgemm {
 public:
  explicit Sgemm(CceSize size)
      : size_(size),
        hidden_(elements(size.N, size.H)),
        weight_(elements(size.V, size.H)),
        logits_(elements(size.N, size.V)) {}

  /// GFLOP/s of one product of matrices 4096 x 4096.
  double square(int threads) {
    constexpr int n = 4096;
    static std::vector<float> a(elements(n, n)), b(elements(n, n)), c(elements(n, n));
    const double ms = time(threads, [] {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
    });
    return 2e-6 * n * n * static_cast<double>(n) / ms;
  }

  /// Seconds of the three products of this size, each over all entries at once and nothing between them: no program
  /// that computes each logit once by this BLAS can hope for less.
  double three_products(int threads) {
    const int N = static_cast<int>(size_.N), H = static_cast<int>(size_.H), V = static_cast<int>(size_.V);
    return 1e-3 * time(threads, [&] {
             cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, N, V, H, 1, hidden_.data(), H, weight_.data(), H, 0,
                         logits_.data(), V);
             cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, H, V, 1, logits_.data(), V, weight_.data(), H, 0,
                         dhidden_.data(), H);
             cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, V, H, N, 1, logits_.data(), V, hidden_.data(), H, 0,
                         dweight_.data(), H);
           });
  }

 private:
  static std::vector<float> elements(std::int64_t rows, std::int64_t columns) {
    return std::vector<float>(static_cast<std::size_t>(rows * columns), 1e-3F);
  }

  template <class Work>
  static double time(int threads, const Work& work) {
    const int before = openblas_get_num_threads();
    openblas_set_num_threads(threads);
    const double start = now_ms(threads);
    work();
    const double ms = now_ms(threads) - start;
    openblas_set_num_threads(before);
    return ms;
  }

  CceSize size_;
  std::vector<float> hidden_, weight_, logits_;
  std::vector<float> dhidden_ = hidden_, dweight_ = weight_;
};

}  // namespace assay::bench
