// CTC loss and gradient by the papers' formulas: one row at a time, in log space and double, stored as float32.
//
//   l' = (blank, l_1, blank, l_2, ..., l_S, blank)                                     L = 2S+1 states
//   alpha_t(s) = [alpha_{t-1}(s) + alpha_{t-1}(s-1) + skip(s) alpha_{t-1}(s-2)] y_t(l'_s)        eq. 6, 7
//   beta_t(s)  = [beta_{t+1}(s) + beta_{t+1}(s+1) + skip(s+2) beta_{t+1}(s+2)] y_t(l'_s)         eq. 10, 11
//   p          = alpha_T(L) + alpha_T(L-1),   loss = -ln p                                       eq. 8
//   posterior  = sum over s with l'_s = k of alpha_t(s) beta_t(s) / (y_t(k) p)                   eq. 14
//   gradient   = y - posterior in the logits (eq. 16), -posterior in the log-probabilities
//
// Equations: Graves et al., Connectionist Temporal Classification, ICML 2006 (their beta includes y_t, as here).
// Shapes: reference/ctc/problem.h. States count from 0 here, from 1 in the paper.
//
// It is written to be read, and to be broken: each step is a small virtual function, and a planted fault of this
// folder overrides one of them, rarely two.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "reference/ctc/problem.h"
#include "reference/matrix.h"
#include "validation/core/fault.h"
#include "validation/core/infinity.h"
#include "validation/ctc/kernel.h"

namespace assay::validation {

class PlainCtcKernel : public RenamedKernel<CtcFloatKernel> {
 public:
  using CtcFloatKernel::run;

  PlainCtcKernel() {
    info_ = {.name = "plain",
             .arithmetic = Arithmetic::log_space,
             .random_rounding = true,
             .batch_invariant = true,
             .nonnegative_loss = true};
    info_.support.can_be_forked = true;
  }

  void run(const reference::CtcProblem<float>& problem, const metal::CtcOutput<float>& out, int threads) const override;

 protected:
  using Problem = reference::CtcProblem<float>;
  using Labels = std::vector<std::int64_t>;
  using LogMatrix = reference::Matrix<double>;

  static constexpr double log_zero = -infinity;

  /// One row of the batch with the results of the steps so far.
  struct Row {
    const Problem& problem;
    std::int64_t b = 0;
    std::int64_t frames = 0;  ///< T_b
    Labels labels = {};       ///< l, [S_b]
    Labels states = {};       ///< l', [L]
    LogMatrix log_y = {};     ///< [T_b, C]
    LogMatrix alpha = {};     ///< ln alpha, [T_b, L]
    LogMatrix beta = {};      ///< ln beta, [T_b, L]
    double log_p = log_zero;

    std::int64_t L() const { return static_cast<std::int64_t>(states.size()); }
    std::int64_t label_of(std::int64_t s) const { return states[static_cast<std::size_t>(s)]; }
    double log_y_of(std::int64_t t, std::int64_t s) const { return log_y(t, label_of(s)); }
  };

  // The request.
  virtual void check(const Problem& problem, const metal::CtcOutput<float>& out) const;
  virtual std::int64_t frames(const Problem& problem, std::int64_t b) const;
  virtual Labels labels(const Problem& problem, std::int64_t b) const;
  virtual Labels expand(const Problem& problem, const Labels& labels) const;

  // ln y. A softmax does not change if a number is subtracted from all logits; the maximum keeps exp within range.
  virtual void read_log_y(Row& row) const;
  virtual double softmax_shift(const Row& row, std::int64_t t) const;
  virtual double log_add(double a, double b) const;

  // The two recursions.
  virtual bool may_skip(const Row& row, std::int64_t s) const;  ///< from s - 2 to s
  virtual double alpha_first(const Row& row, std::int64_t s) const;
  virtual double alpha_step(const Row& row, std::int64_t t, std::int64_t s) const;
  virtual void forward(Row& row) const;
  virtual double beta_last(const Row& row, std::int64_t t, std::int64_t s) const;
  virtual double beta_step(const Row& row, std::int64_t t, std::int64_t s) const;
  virtual void backward(Row& row) const;

  // The loss.
  virtual double log_likelihood(const Row& row) const;
  virtual bool impossible(const Row& row) const;
  virtual double impossible_loss(const Row& row) const;
  virtual double loss(const Row& row) const;
  virtual double reduction_factor(const Problem& problem, std::int64_t b) const;
  virtual void store_loss(const Problem& problem, std::span<const double> losses, std::span<float> out) const;

  // The gradient; a frame has C elements.
  virtual double weight(const Problem& problem, std::int64_t b) const;
  virtual double occupancy(const Row& row, std::int64_t t, std::int64_t s) const;  ///< ln alpha_t(s) beta_t(s)
  virtual double gather(double sum, double term) const;
  virtual double posterior(const Row& row, std::int64_t t, std::int64_t k, double gathered) const;
  virtual double element(const Row& row, std::int64_t t, std::int64_t k, double posterior, double weight) const;
  virtual void frame_gradient(const Row& row, std::int64_t t, std::span<float> frame) const;
  virtual void impossible_gradient(const Row& row, std::int64_t t, std::span<float> frame) const;
  virtual void gradient_past_length(const Row& row, std::int64_t t, std::span<float> frame) const;
  virtual void store_gradient(const Row& row, std::span<float> gradient) const;

  // The batch.
  virtual double run_row(const Problem& problem, std::int64_t b, std::span<float> gradient) const;
  virtual void for_each_row(std::int64_t B, int threads, const std::function<void(std::int64_t)>& body) const;
  virtual float to_float(double value) const;

  /// Activations [C] of frame t of row b.
  static std::span<const float> frame_of(const Problem& problem, std::int64_t t, std::int64_t b);
};

}  // namespace assay::validation
