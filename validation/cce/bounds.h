// How far rounding may carry a correct kernel from the truth, element by element. Derivations: docs/bounds.md.
//
// With u the unit roundoff inside, k u the error of exp, log and tanh, v the unit roundoff of the stored results,
// gamma(n) = n u / (1 - n u) (Higham 2002, lemma 3.1), chain(n) the additions a term of n passes through (n, or fewer
// where a kernel claims to sum by blocks), and for each token
//
//   dz_v   = gamma(H + 2) (sum_h |hidden_h weight_vh| + |bias_v|)                                     a logit
//   dx_v   = sup (1 - tanh^2) dz_v + (k + 2) u |x_v|, the supremum over z_v +- dz_v; without a cap, dz_v
//   de_v   = dx_v + u (|x_v - m| + 2 |lse|) + (k + 2) u                      relative, of exp(x_v), in the logarithm
//   dS     = ln sum_v p_v exp(de_v) + (k + 3) chain(V) u                     relative, of the sum, in the logarithm
//   pi_v   = exp(de_v + dS) - 1                                              relative, of p_v
//
//   loss        sum_v |dL/dx_v| dx_v + sum_v p_v (exp(dx_v) - 1 - dx_v) + the roundings of its own sums
//   dL/dz_v     |w| (1 - tanh^2) (p_v |f| pi_v + 2 zeta p_v dlse + 4 u T_v) + |w| T_v d(1 - tanh^2),  f = 1 + 2 zeta
//   lse T_v         = p_v |f| + (1 - eps) [v = t] + eps / V gradients   sum of |the other factor| times that, and
//   gamma(chain + 2) sum |w| T_v |the other factor|, and v |result|
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "validation/cce/case.h"
#include "validation/cce/kernel.h"

namespace assay::validation {

class CceBounds {
 public:
  CceBounds(const CceCase& c, const CceKernelInfo& kernel);

  /// Bound on |loss[i] - truth|; i counts tokens for Reduction::none, else 0.
  double loss(std::size_t i) const { return loss_[i]; }

  // Bounds on |element - truth| of the gradients, whose true elements are about `exact`.
  double dhidden(std::size_t i, double exact) const { return stored(dhidden_[i], exact); }
  double dweight(std::size_t i, double exact) const { return stored(dweight_[i], exact); }
  double dbias(std::size_t v, double exact) const { return stored(dbias_[v], exact); }

  /// The largest finite gradient that the case's type stores.
  double largest() const;

  /// Whether a stored gradient is so large that sums with others of its size may not be finite.
  bool is_huge(float stored) const { return std::abs(double{stored}) > largest() / 4; }

 private:
  struct Token;

  void measure_logits(Token& token) const;
  void measure_softcap(Token& token, std::size_t v) const;
  void measure_softmax(Token& token) const;
  double rough_loss(const Token& token) const;
  double bound_loss(const Token& token) const;
  void add_gradients(const Token& token);
  void reduce_losses(const std::vector<double>& bounds, const std::vector<double>& sizes);
  double chain(std::int64_t terms) const;
  double gamma(double operations) const;
  double stored(double bound, double exact) const;

  const CceCase& case_;
  const CceKernelInfo& kernel_;
  std::vector<double> loss_;
  std::vector<double> dhidden_;
  std::vector<double> dweight_;
  std::vector<double> dbias_;
};

}  // namespace assay::validation
