// Bounds on the rounding errors of a correct kernel, element by element. Derivations: docs/bounds.md.
//
// With u the unit roundoff inside, k u the error of exp, log and tanh, v the unit roundoff of the type of the gradients
// and r = v where a kernel rounds its operands to that type, else 0; u_s the unit roundoff of the sums of a loss;
// gamma(n) = n u / (1 - n u) (Higham 2002, lemma 3.1), nz the number of terms that are not 0, chain(n) the additions
// that a term of n passes through (n, or fewer where a kernel claims to sum by blocks), f = 1 + 2 zeta lse, and for
// each token, with m = max x_v and e = 1 where its logits are exact (dz_v is 0 there; never with a rounded lse), else 0
//
//   dz_v     = gamma(nz + 2) (sum_h |hidden_h weight_vh| + |bias_v|)                     a logit
//   dx_v     = sup (1 - tanh^2) dz_v + (k + 2) u |x_v|                                   over z_v +- dz_v; no cap: dz_v
//   ds_v     = min(1, 0.77 dz_v / cap) + (2 k + 4) u tanh^2                              s_v = 1 - tanh^2; no cap: 0
//   de_v     = dx_v + u (m - x_v) + (k + 2) u                                            relative, of exp(x_v - m)
//   M        = min(N, chain(V)) u_s / u + R                                              additions, rescalings: sums.h;
//                                                                                        0 for equal exact logits
//   dS       = ln(1 + sum_v p_v (exp(de_v) - 1)) + gamma(M)                              relative, of the sum
//   pi_v     = exp(de_v + dS + u (m - x_v + (k + 2) (lse - m) + (1 - e) 2 |lse|)) - 1    relative, of p_v
//   dlse     = dS + sum_v p_v dx_v + u ((k + 1) (lse - m) + |lse|)
//
//   loss       sum_v |dloss/dx_v| dx_v + |f| sum_v p_v (exp(dx_v) - 1 - dx_v) + the roundings of its own sums
//
//   q_v      = |f| p_v; for the target at least 1 - p_v + 2 zeta |lse| p_v
//   T_v      = q_v + [v = t] + eps / V
//   dg_v     = |w| (s_v + ds_v) (q_v pi_v + 2 zeta p_v dlse (1 + pi_v) + (7 u + r) T_v) + |w| T_v ds_v
//
//   gradients  sum of |the other factor| (dg_v + gamma(min(chain, nz) + 5) |w| (s_v + ds_v) T_v), over the entries for
//   dhidden
//              and over the tokens for dweight and dbias; plus v |result| for storing the result
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "validation/cce/case.h"
#include "validation/cce/kernel.h"
#include "validation/cce/magnitudes.h"

namespace assay::validation {

class CceBounds {
 public:
  CceBounds(const CceCase& c, const CceKernelInfo& kernel);

  /// Bound on |loss[i] - truth|; i counts tokens for Reduction::none, else 0.
  double loss(std::size_t i) const { return loss_[i]; }

  // Bounds on |element - truth| of the gradients; `exact` approximates the true element.
  double dhidden(std::size_t i, double exact) const { return stored(dhidden_[i], exact); }
  double dweight(std::size_t i, double exact) const { return stored(dweight_[i], exact); }
  double dbias(std::size_t v, double exact) const { return stored(dbias_[v], exact); }

  // The largest size of an element, whatever the softmax of each token is: its dL/dlogits add up to at most
  // |w| (|f| + 1), in size.
  double dhidden_range(std::size_t i) const;
  double dweight_range(std::size_t i) const;
  double dbias_range(std::size_t v) const;

  /// The largest finite gradient that the case's type stores.
  double largest() const;

  /// Whether a stored gradient is so large that sums with others of its size may not be finite.
  bool is_huge(float stored) const { return std::abs(double{stored}) > largest() / 4; }

 private:
  double rough_loss(const CceToken& token) const;
  double bound_loss(const CceToken& token) const;
  double own_roundings(const CceToken& token) const;
  // Add the share of a token; the case has the token `times` times.
  void add_gradients(const CceToken& token, double times);
  void add_ranges(const CceToken& token, double times);
  void reduce_losses(const std::vector<double>& bounds, const std::vector<double>& sizes);
  void count_terms();
  double chain(double terms) const;
  double gamma(double operations) const;
  double stored(double bound, double exact) const;
  double smallest_store(Dtype dtype) const;

  const CceCase& case_;
  const CceKernelInfo& kernel_;
  std::vector<double> over_entries_;    ///< [H] terms of dhidden that are not 0
  std::vector<double> over_tokens_;     ///< [H + 1] terms of dweight that are not 0, and those of dbias
  std::vector<double> token_range_;     ///< [N] |w| (|f| + 1)
  std::vector<double> column_range_;    ///< [H + 1] of dweight: its sum over the tokens, times |hidden|; and of dbias
  std::vector<double> largest_weight_;  ///< [H] the largest |weight| of a column
  std::vector<double> loss_;
  std::vector<double> dhidden_;
  std::vector<double> dweight_;
  std::vector<double> dbias_;
};

}  // namespace assay::validation
