// The products of gemm.h on float32, by OpenBLAS.
#include <cblas.h>

#include "metal/cpu/cce/gemm.h"

namespace assay::metal::cpu {

namespace {

blasint as_blas(std::int64_t size) {
  return static_cast<blasint>(size);  // sizes of a tile are far below 2^31; strides are checked when a call begins
}

float beta(Sum sum) {
  return sum == Sum::fresh ? 0.0F : 1.0F;
}

/// C [M, N] = beta C + op(A) [M, K] op(B) [K, N].
struct Shape {
  CBLAS_TRANSPOSE a, b;
  std::int64_t M, N, K;
};

void sgemm(const Shape& shape, Matrix<const float> a, Matrix<const float> b, float beta, Matrix<float> c) {
  cblas_sgemm(CblasRowMajor, shape.a, shape.b, as_blas(shape.M), as_blas(shape.N), as_blas(shape.K), 1.0F, a.data,
              as_blas(a.stride), b.data, as_blas(b.stride), beta, c.data, as_blas(c.stride));
}

}  // namespace

void gemm_logits(GemmSizes s, Matrix<const float> hidden, Matrix<const float> weight, Matrix<float> logits) {
  sgemm({CblasNoTrans, CblasTrans, s.R, s.C, s.H}, hidden, weight, 0.0F, logits);
}

void gemm_dhidden(GemmSizes s, Matrix<const float> G, Matrix<const float> weight, Matrix<float> dhidden, Sum sum) {
  sgemm({CblasNoTrans, CblasNoTrans, s.R, s.H, s.C}, G, weight, beta(sum), dhidden);
}

void gemm_dweight(GemmSizes s, Matrix<const float> G, Matrix<const float> hidden, Matrix<float> dweight, Sum sum) {
  sgemm({CblasTrans, CblasNoTrans, s.C, s.H, s.R}, G, hidden, beta(sum), dweight);
}

}  // namespace assay::metal::cpu
