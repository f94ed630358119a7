// What the right CTC kernels share: the rows of a problem of logits and padded targets, and the states of a row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <vector>

#include "validation/plugin/assay_plugin.h"

namespace right {

template <class Real>
constexpr Real infinity = std::numeric_limits<Real>::infinity();

struct Row {
  const float* logits;  // of frame 0; a frame is `stride` floats further
  const std::int64_t* labels;
  std::int64_t stride, T, C, S;
  float* gradient;  // laid out as logits; null: not wanted

  std::int64_t L() const { return 2 * S + 1; }
  const float* frame(std::int64_t t) const { return logits + t * stride; }
  std::int64_t label(std::int64_t s) const { return s % 2 == 0 ? 0 : labels[s / 2]; }
  bool skips(std::int64_t s) const { return s % 2 == 1 && s >= 3 && labels[s / 2] != labels[s / 2 - 1]; }
};

inline Row row_of(const assay_ctc_problem& p, const assay_ctc_output& out, std::int64_t b) {
  float* const gradient = static_cast<float*>(out.gradient);
  return {static_cast<const float*>(p.activations) + b * p.C,
          p.targets + b * p.S,
          p.B * p.C,
          p.input_lengths[b],
          p.C,
          p.target_lengths[b],
          gradient != nullptr ? gradient + b * p.C : nullptr};
}

// The kernel cannot do a valid problem.
struct Beyond : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void store_loss(const assay_ctc_output& out, std::int64_t b, double loss) {
  static_cast<float*>(out.loss)[b] = static_cast<float>(loss < 0 ? 0 : loss);  // -0, where p = 1, is right
}

inline void clear_gradient(const assay_ctc_problem& p, const assay_ctc_output& out) {
  if (out.gradient != nullptr)
    std::fill_n(static_cast<float*>(out.gradient), static_cast<std::size_t>(p.T * p.B * p.C), 0.0F);
}

// Calls loss_of(row), which writes the gradient, for each row in turn.
template <class LossOf>
int run_rows(const assay_ctc_problem& p, const assay_ctc_output& out, char* message, std::size_t size,
             const LossOf& loss_of) {
  clear_gradient(p, out);
  try {
    for (std::int64_t b = 0; b < p.B; ++b) store_loss(out, b, loss_of(row_of(p, out, b)));
  } catch (const Beyond& beyond) {
    std::snprintf(message, size, "%s", beyond.what());
    return ASSAY_UNSUPPORTED;
  }
  return ASSAY_OK;
}

template <class Real>
using Table = std::vector<std::vector<Real>>;

template <class Real>
Table<Real> table(std::int64_t rows, std::int64_t columns, Real value) {
  return Table<Real>(static_cast<std::size_t>(rows), std::vector<Real>(static_cast<std::size_t>(columns), value));
}

template <class Real>
Real log_add(Real a, Real b) {
  const Real larger = std::max(a, b), smaller = std::min(a, b);
  return larger == -infinity<Real> ? larger : larger + std::log1p(std::exp(smaller - larger));
}

// ln of the softmax of each frame.
template <class Real>
Table<Real> log_softmax(const Row& row) {
  auto log_y = table<Real>(row.T, row.C, 0);
  for (std::int64_t t = 0; t < row.T; ++t) {
    const float* const a = row.frame(t);
    const Real largest = *std::max_element(a, a + row.C);
    Real sum = 0;
    for (std::int64_t k = 0; k < row.C; ++k) sum += std::exp(static_cast<Real>(a[k]) - largest);
    for (std::int64_t k = 0; k < row.C; ++k) log_y[t][k] = (static_cast<Real>(a[k]) - largest) - std::log(sum);
  }
  return log_y;
}

// One frame of alpha with the emission of the frame; `before` is empty at frame 0.
template <class Real>
std::vector<Real> log_forward(const Row& row, const std::vector<Real>& before, const std::vector<Real>& log_y) {
  std::vector<Real> now(static_cast<std::size_t>(row.L()), -infinity<Real>);
  for (std::int64_t s = 0; s < row.L(); ++s) {
    Real sum = before.empty() ? (s < 2 ? Real{0} : -infinity<Real>) : before[s];
    if (!before.empty() && s >= 1) sum = log_add(sum, before[s - 1]);
    if (!before.empty() && row.skips(s)) sum = log_add(sum, before[s - 2]);
    now[s] = sum + log_y[row.label(s)];
  }
  return now;
}

// One frame of beta without the emission of the frame; `after` and the emissions after are empty at the last frame.
template <class Real>
std::vector<Real> log_backward(const Row& row, const std::vector<Real>& after, const std::vector<Real>& log_y_after) {
  const std::int64_t L = row.L();
  std::vector<Real> now(static_cast<std::size_t>(L), -infinity<Real>);
  for (std::int64_t s = 0; s < L; ++s) {
    if (after.empty()) now[s] = s >= L - 2 ? Real{0} : -infinity<Real>;
    for (std::int64_t next = s; !after.empty() && next < L && next <= s + 2; ++next)
      if (next < s + 2 || row.skips(next)) now[s] = log_add(now[s], after[next] + log_y_after[row.label(next)]);
  }
  return now;
}

// ln p of the last frame's alpha; of no frames, 0 for no labels.
template <class Real>
Real log_total(const Row& row, const std::vector<Real>& last) {
  if (row.T == 0) return row.S == 0 ? Real{0} : -infinity<Real>;
  return row.L() > 1 ? log_add(last[row.L() - 1], last[row.L() - 2]) : last[0];
}

// The posterior of each class at one frame.
template <class Real>
std::vector<Real> posteriors(const Row& row, const std::vector<Real>& alpha, const std::vector<Real>& beta,
                             Real log_p) {
  std::vector<Real> posterior(static_cast<std::size_t>(row.C));
  for (std::int64_t s = 0; s < row.L(); ++s) posterior[row.label(s)] += std::exp(alpha[s] + beta[s] - log_p);
  return posterior;
}

// y - posterior of frame t; NaN where the row cannot be aligned.
template <class Real>
void store_gradient(const Row& row, std::int64_t t, const std::vector<Real>& y, const std::vector<Real>& posterior,
                    bool possible) {
  for (std::int64_t k = 0; k < row.C; ++k)
    row.gradient[t * row.stride + k] = possible ? static_cast<float>(y[k] - posterior[k]) : NAN;
}

template <class Real>
std::vector<Real> exp_of(std::vector<Real> logs) {
  for (Real& value : logs) value = std::exp(value);
  return logs;
}

}  // namespace right

// The declaration of a kernel whose function is run_all(problem, output, message, size).
#define RIGHT_CTC(title, ...)                                                                           \
  static int run(const assay_ctc_problem* p, const assay_ctc_output* out, char* message, size_t size) { \
    return run_all(*p, *out, message, size);                                                            \
  }                                                                                                     \
  const assay_ctc_kernel assay_ctc = {ASSAY_HEADER(assay_ctc_kernel), .name = title, .run = run, __VA_ARGS__}
