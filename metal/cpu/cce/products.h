// The three products (gemm.h) of a chunk of entries with some tokens. Those of a few tokens are limited by reading
// weight and writing dweight, and have loops of their own (simd/few_tokens.h), which take weight as it is stored.
#pragma once

#include "metal/cpu/cce/call.h"

namespace assay::metal::cpu {

template <class Real, class Operand>
class CceProducts {
 public:
  using Call = CceCall<Real, Operand>;

  /// Converts the chunk's rows of weight where the products need it.
  CceProducts(const Call& call, CceTiles<Operand>& own, Range entries) : call_(call), own_(own), entries_(entries) {
    if (!call.few) weight_ = call.weight(own, entries);
  }

  Range entries() const { return entries_; }

  /// The tile's logits, which own.logits holds without gaps.
  void logits(Range rows) const {
    const Matrix<const Operand> hidden = call_.hidden(own_, rows);
    if constexpr (!Call::narrow) {
      if (call_.few) return call_.stored.few_logits(own_.logits.data(), few(rows), hidden.data, stored_weight());
    }
    gemm_logits(call_.gemm_sizes(rows, entries_.size()), hidden, weight_, {own_.logits.data(), entries_.size()});
  }

  /// dhidden, the sums of these tokens, = or += G weight.
  void add_dhidden(Range rows, Matrix<const Operand> G, Matrix<float> dhidden, Sum sum) const {
    if constexpr (!Call::narrow) {
      if (call_.few) {
        if (sum == Sum::fresh) std::fill_n(dhidden.data, rows.size() * call_.H, 0.0F);
        return call_.stored.few_dhidden(dhidden.data, few(rows), G.data, stored_weight());
      }
    }
    gemm_dhidden(call_.gemm_sizes(rows, entries_.size()), G, weight_, dhidden, sum);
  }

 private:
  FewSizes few(Range rows) const { return call_.few_sizes(rows, entries_); }
  const Real* stored_weight() const { return call_.weight_row(entries_.begin); }

  const Call& call_;
  CceTiles<Operand>& own_;
  Range entries_;
  Matrix<const Operand> weight_;
};

}  // namespace assay::metal::cpu
