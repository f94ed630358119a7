// Linear cross-entropy by its definition: one token at a time, in double, gradients rounded once at the end.
//
//   z_v = sum_h hidden_h weight_vh + bias_v,   x_v = cap tanh(z_v / cap)
//   running maximum and sum, for each entry:   m' = max(m, x_v),  s' = s exp(m - m') + exp(x_v - m')
//   lse = m + ln s,   lse - x_v = (m - x_v) + ln s: the digits that m and x_v share are not lost
//   loss = (1 - eps) (lse - x_t) + (eps / V) sum_v (lse - x_v) + zeta lse^2
//   p_v = exp(-(lse - x_v))
//   dL/dz_v = w (p_v (1 + 2 zeta lse) - (1 - eps) [v = t] - eps / V) (1 - tanh^2(z_v / cap))
//   dhidden = sum_v dL/dz_v weight_v,   dweight_v = sum_n dL/dz_v hidden_n,   dbias_v = sum_n dL/dz_v
//
// Shapes and options: reference/cce/problem.h.
//
// It is written to be read, and to be broken: each step is a small virtual function, and a planted fault of this
// folder overrides one of them, rarely two.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "validation/cce/kernel.h"
#include "validation/core/fault.h"

namespace assay::validation {

class PlainCceKernel : public RenamedKernel<CceKernel> {
 public:
  PlainCceKernel() {
    info_ = {.name = "plain", .unit_roundoff = 0x1p-53, .batch_invariant = true, .chunks = {1, 3, 256}};
    info_.support.can_be_forked = true;
  }

  void run(const metal::AnyCceProblem& problem, const metal::AnyCceOutput& out,
           const CceRequest& request) const override;

 protected:
  using Numbers = std::vector<double>;

  /// The problem with its arrays as doubles, and the unfinished results.
  struct Work {
    CceProblem<float> options;
    Dtype dtype = Dtype::float32;
    Numbers hidden, weight, bias;
    std::int64_t valid = 0;  ///< tokens that are not ignored
    Numbers losses;          ///< [N]
    Numbers log_sum_exp;     ///< [N]
    Numbers dhidden, dweight, dbias;
    CceRequest request;

    std::int64_t N() const { return options.N; }
    std::int64_t H() const { return options.H; }
    std::int64_t V() const { return options.V; }
    std::int64_t target(std::int64_t n) const { return options.targets[static_cast<std::size_t>(n)]; }
  };

  /// A running log-sum-exp: the sum of exp(x - max).
  struct Running {
    double max;
    double sum;

    double log_sum_exp() const { return max + std::log(sum); }
    /// log_sum_exp - x
    double above(double x) const { return (max - x) + std::log(sum); }
  };

  /// One token.
  struct Token {
    std::int64_t n = 0;
    std::int64_t target = 0;
    Numbers z;  ///< [V] before the cap
    Numbers x;  ///< [V]
    Running exponentials{0, 1};

    double lse() const { return exponentials.log_sum_exp(); }
  };

  // The request.
  virtual void check(const metal::AnyCceProblem& problem, const metal::AnyCceOutput& out) const;
  virtual bool is_ignored(const Work& work, std::int64_t n) const;
  virtual std::int64_t count_valid(const Work& work) const;

  // The logits.
  virtual double logit(const Work& work, std::int64_t n, std::int64_t v) const;
  virtual bool has_softcap(const Work& work) const;
  virtual double capped(const Work& work, double z) const;
  virtual double slope(const Work& work, double z) const;  ///< dx / dz

  // The log-sum-exp: of each chunk of the vocabulary, then merged.
  virtual std::int64_t chunk(const Work& work) const;
  virtual Running add(const Running& running, double x) const;
  virtual Running merge(const Running& a, const Running& b) const;
  virtual Running sum_exponentials(const Work& work, const Numbers& x) const;

  // The loss.
  virtual double target_logit(const Work& work, const Token& token) const;
  virtual double loss(const Work& work, const Token& token) const;
  virtual double loss_share(const Work& work) const;  ///< of a token in the reduced loss
  virtual double ignored_loss(const Work& work, std::int64_t n) const;
  virtual double reduced_loss(const Work& work) const;

  // The gradients.
  virtual double weight_of(const Work& work, std::int64_t n) const;
  virtual double probability(const Work& work, const Token& token, std::int64_t v) const;
  virtual double gradient_of_x(const Work& work, const Token& token, std::int64_t v) const;
  virtual double gradient_of_z(const Work& work, const Token& token, std::int64_t v) const;
  virtual void add_gradients(Work& work, const Token& token) const;
  virtual double accumulate(const Work& work, double sum, double term) const;

  // The batch.
  virtual Token forward(const Work& work, std::int64_t n) const;
  virtual void run_token(Work& work, std::int64_t n) const;
  virtual void compute(Work& work) const;
  virtual double stored(Dtype dtype, double value) const;
  virtual void store(const Work& work, const metal::AnyCceOutput& out) const;
};

}  // namespace assay::validation
