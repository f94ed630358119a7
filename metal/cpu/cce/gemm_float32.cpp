// The products of gemm.h on float32: by oneDNN where it can, else by OpenBLAS.
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

CBLAS_TRANSPOSE as_blas(char op) {
  return op == 'T' ? CblasTrans : CblasNoTrans;
}

void sgemm(const FloatProduct& p, Matrix<const float> a, Matrix<const float> b, Matrix<float> c) {
  if (multiply_by_onednn(p, a, b, c)) return;
  cblas_sgemm(CblasRowMajor, as_blas(p.a), as_blas(p.b), as_blas(p.M), as_blas(p.N), as_blas(p.K), 1.0F, a.data,
              as_blas(a.stride), b.data, as_blas(b.stride), p.beta, c.data, as_blas(c.stride));
}

}  // namespace

void gemm_logits(GemmSizes s, Matrix<const float> hidden, Matrix<const float> weight, Matrix<float> logits) {
  sgemm({'N', 'T', s.R, s.C, s.H, 0.0F, s.sparing}, hidden, weight, logits);
}

void gemm_dhidden(GemmSizes s, Matrix<const float> G, Matrix<const float> weight, Matrix<float> dhidden, Sum sum) {
  sgemm({'N', 'N', s.R, s.H, s.C, beta(sum), s.sparing}, G, weight, dhidden);
}

void gemm_dweight(GemmSizes s, Matrix<const float> G, Matrix<const float> hidden, Matrix<float> dweight, Sum sum) {
  sgemm({'T', 'N', s.C, s.H, s.R, beta(sum), s.sparing}, G, hidden, dweight);
}

}  // namespace assay::metal::cpu
