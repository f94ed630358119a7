// Where oneDNN was not found: bfloat16 is converted to float32 before it is multiplied, so that its overloads are never
// called.
#include "metal/cpu/cce/gemm.h"

namespace assay::metal::cpu {

bool multiplies_bfloat16() {
  return false;
}

bool multiply_by_onednn(const FloatProduct&, Matrix<const float>, Matrix<const float>, Matrix<float>) {
  return false;
}

void gemm_logits(GemmSizes, Matrix<const BFloat16>, Matrix<const BFloat16>, Matrix<float>) {}
void gemm_dhidden(GemmSizes, Matrix<const BFloat16>, Matrix<const BFloat16>, Matrix<float>, Sum) {}
void gemm_dweight(GemmSizes, Matrix<const BFloat16>, Matrix<const BFloat16>, Matrix<float>, Sum) {}

}  // namespace assay::metal::cpu
