// The three matrix products of linear cross-entropy over R tokens and C entries, row-major, on the calling thread
// alone:
//
//   logits    [R, C]  = hidden [R, H] weight [C, H]^T
//   dhidden   [R, H] += G [R, C] weight [C, H]
//   dweight   [C, H] += G [R, C]^T hidden [R, H]
//
// The operands are float (oneDNN where it was found, else OpenBLAS) or bfloat16 (oneDNN, where the processor multiplies
// them), the results float, and so are all sums.
#pragma once

#include <cstdint>

#include "metal/cpu/half.h"

namespace assay::metal::cpu {

/// A matrix whose rows begin `stride` elements apart.
template <class Element>
struct Matrix {
  Element* data = nullptr;
  std::int64_t stride = 0;
};

struct GemmSizes {
  std::int64_t R = 0, C = 0, H = 0;
  bool sparing = false;  ///< with small buffers, for several threads at a time
};

/// Whether the product replaces the result (fresh) or is added to it (onward).
enum class Sum { fresh, onward };

void gemm_logits(GemmSizes sizes, Matrix<const float> hidden, Matrix<const float> weight, Matrix<float> logits);
void gemm_dhidden(GemmSizes sizes, Matrix<const float> G, Matrix<const float> weight, Matrix<float> dhidden, Sum sum);
void gemm_dweight(GemmSizes sizes, Matrix<const float> G, Matrix<const float> hidden, Matrix<float> dweight, Sum sum);

void gemm_logits(GemmSizes sizes, Matrix<const BFloat16> hidden, Matrix<const BFloat16> weight, Matrix<float> logits);
void gemm_dhidden(GemmSizes sizes, Matrix<const BFloat16> G, Matrix<const BFloat16> weight, Matrix<float> dhidden,
                  Sum sum);
void gemm_dweight(GemmSizes sizes, Matrix<const BFloat16> G, Matrix<const BFloat16> hidden, Matrix<float> dweight,
                  Sum sum);

/// Whether the overloads for bfloat16 may be called.
bool multiplies_bfloat16();

/// C [M, N] = beta C + op(A) [M, K] op(B) [K, N], where op is 'T' for the transpose, else 'N'.
struct FloatProduct {
  char a, b;
  std::int64_t M, N, K;
  float beta;
  bool sparing;  ///< as in GemmSizes
};

/// The product by oneDNN; false, with C as it was, where oneDNN was not found or has no loops for this processor.
bool multiply_by_onednn(const FloatProduct& product, Matrix<const float> A, Matrix<const float> B, Matrix<float> C);

}  // namespace assay::metal::cpu
