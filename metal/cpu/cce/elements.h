// The inner loops of linear cross-entropy over the logits of one token and some entries, compiled once for each
// instruction set. With t_v = x_v - reference, d_v = 1 - tanh^2(z_v / cap) or 1 where there is no cap:
//
//   sums    sum_v exp t_v, sum_v t_v, max_v t_v
//   kept    (scale exp t_v - shift) d_v, which replaces the logit
#pragma once

#include <cstddef>

#include "metal/cpu/half.h"
#include "metal/cpu/instruction_set.h"

namespace assay::metal::cpu {

struct CceRow {
  float reference = 0.0F;
  float scale = 1.0F;
  float shift = 0.0F;
  float cap = 0.0F;  ///< 0: none
  bool keep = false;
  bool with_logits = false;  ///< whether the sum of t is wanted
};

struct CceSums {
  double exponentials = 0.0;
  double logits = 0.0;
  float largest = -__builtin_inff();
  bool finite = true;  ///< whether every logit is, before the bias is added
};

struct CceElements {
  /// The sums over `logits` [n] and `bias` [n]; with row.keep, replaces the logits.
  CceSums (*row)(float* logits, std::size_t n, const float* bias, const CceRow& row);

  /// to = scale * from - shift, in double, for tokens of a tiny weight; `to` may be `from`.
  void (*scale)(float* to, const float* from, std::size_t n, double scale, double shift);

  /// Copies past the caches, for data that is not read again soon.
  void (*stream)(void* to, const void* from, std::size_t bytes);

  /// sums += x.
  void (*add)(double* sums, const float* x, std::size_t n);

  /// narrow: to bfloat16, rounded. scale_narrow: scale * from, both bfloat16.
  void (*narrow)(BFloat16* to, const float* from, std::size_t n);
  void (*scale_narrow)(BFloat16* to, const BFloat16* from, std::size_t n, float scale);
};

/// A few tokens R and entries C. Arrays are contiguous: [R, H], [C, H], and [R, C] of logits or of dL/dz.
struct FewSizes {
  std::size_t R = 0, C = 0, H = 0;
};

/// Loops over arrays of one of the three storage types.
template <class Real>
struct CceStored {
  /// The dot product, in double.
  double (*dot)(const Real* a, const Real* b, std::size_t n);
  void (*to_float)(float* to, const Real* from, std::size_t n);
  /// scale * from + shift * other, rounded once and never to -0; `other` is not read where shift is 0.
  void (*round)(Real* to, const float* from, std::size_t n, double scale, double shift, const Real* other);
  /// `from`, rounded likewise, written past the caches.
  void (*round_past_caches)(Real* to, const float* from, std::size_t n);

  /// The products of gemm.h: logits = hidden weight^T, dhidden += G weight, dweight = G^T hidden, rounded.
  void (*few_logits)(float* logits, const FewSizes& sizes, const float* hidden, const Real* weight);
  void (*few_dhidden)(float* dhidden, const FewSizes& sizes, const float* G, const Real* weight);
  void (*few_dweight)(Real* dweight, const FewSizes& sizes, const float* G, const float* hidden, bool stream);
};

}  // namespace assay::metal::cpu
