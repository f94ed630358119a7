// The three matrix products of linear cross-entropy over R tokens and C entries, row-major, on the calling thread
// alone:
//
//   logits    [R, C]  = hidden [R, H] weight [C, H]^T
//   dhidden   [R, H] += G [R, C] weight [C, H]
//   dweight   [C, H] += G [R, C]^T hidden [R, H]
//
// The operands are float (OpenBLAS) or bfloat16 (oneDNN, where it was found and the processor multiplies them), the
// results float, and so are all sums.
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

}  // namespace assay::metal::cpu
