// The plain path: CTC as in the papers, line by line, in logarithms, one thread per state. It is there to be read and
// to compare with. Logarithms in float32 lose three to six digits that the production path keeps.
//
//   A. Graves, S. Fernandez, F. Gomez, J. Schmidhuber, "Connectionist temporal classification", ICML 2006
//   Y. Miao, M. Gowayyed, F. Metze, "EESEN: End-to-end speech recognition ...", ASRU 2015: the gradient in two steps
//
// activations [T, B, C]  ->  ln y [T, B, C]; ln alpha, ln beta, each row [frames, L]; losses [B]; gradient [T, B, C]
#pragma once

#include "row.h"
#include "simdgroup.h"

namespace assay {
namespace ctc {

/// ln(e^a + e^b), of probabilities that may be 0.
inline float log_add(float a, float b) {
  const float larger = max(a, b), smaller = min(a, b);
  return larger == -INFINITY ? larger : larger + precise::log(1.0f + precise::exp(smaller - larger));
}

/// A row of the plain path: its labels, and ln y of its states.
struct PlainRow {
  Labels labels;
  device const uint* classes;
  device const float* log_y;  ///< [T, B, C]
  Shape shape;
  uint b;

  float log_emission(uint t, uint state) const {
    return log_y[(ulong(t) * ulong(shape.B) + b) * ulong(shape.C) + classes[labels.slot(state)]];
  }
};

/// Eqs. 6 and 7: alpha_t(s) = (alpha_t-1(s) + alpha_t-1(s-1) + [l'_s is a label, other than l'_s-2] alpha_t-1(s-2))
/// y_t. `previous` is alpha of t - 1, [L].
inline float log_alpha(PlainRow row, uint t, uint s, device const float* previous) {
  if (t == 0) return s < 2 ? row.log_emission(t, s) : -INFINITY;
  float sum = previous[s];
  if (s > 0) sum = log_add(sum, previous[s - 1]);
  if (row.labels.may_skip_to(s)) sum = log_add(sum, previous[s - 2]);
  return sum + row.log_emission(t, s);
}

/// Eqs. 9 to 11: beta_t(s) = (beta_t+1(s) + beta_t+1(s+1) + [as above, for s+2] beta_t+1(s+2)) y_t.
/// `next` is beta of t + 1, [L].
inline float log_beta(PlainRow row, uint t, uint s, bool is_last, device const float* next) {
  const uint L = row.labels.state_count();
  if (is_last) return s + 2 >= L ? row.log_emission(t, s) : -INFINITY;
  float sum = next[s];
  if (s + 1 < L) sum = log_add(sum, next[s + 1]);
  if (row.labels.may_skip_to(s + 2)) sum = log_add(sum, next[s + 2]);
  return sum + row.log_emission(t, s);
}

/// Eq. 8: p = alpha_T(L) + alpha_T(L-1). `alpha` is [frames, L].
inline float log_probability(Row row, device const float* alpha) {
  const ulong L = 2 * ulong(row.labels) + 1;
  if (row.frames == 0) return L == 1 ? 0.0f : -INFINITY;
  device const float* const last = alpha + (row.frames - 1) * L;
  return L == 1 ? last[0] : log_add(last[L - 1], last[L - 2]);
}

/// ln of the sum of alpha_t(s) beta_t(s) over the states of one class (the sum in eqs. 14 and 15).
/// Slot 0 is the blank, in all even states. The labels of any other slot are listed in `order`.
inline float log_class_sum(uint slot, uint L, device const float* alpha, device const float* beta,
                           device const uint* order, device const uint* ends) {
  float sum = -INFINITY;
  if (slot == 0)
    for (uint s = 0; s < L; s += 2) sum = log_add(sum, alpha[s] + beta[s]);
  else
    for (uint place = ends[slot - 1]; place < ends[slot]; ++place)
      sum = log_add(sum, alpha[2 * order[place] + 1] + beta[2 * order[place] + 1]);
  return sum;
}

/// The values from which one frame's gradient is computed.
struct PlainFrame {
  Row row;
  device const uint *order, *ends, *classes;
  device const float* log_y;  ///< [C]
  device const float *alpha, *beta;
  uint t;

  float log_p() const { return log_probability(row, alpha); }

  /// dL/d ln y of a class that occurs in the row.
  float first_step(uint slot) const {
    const uint L = 2 * row.labels + 1;
    const float sum = log_class_sum(slot, L, alpha + ulong(t) * L, beta + ulong(t) * L, order, ends);
    return sum == -INFINITY ? 0.0f : -precise::exp(sum - log_y[classes[slot]] - log_p());
  }

  /// dL/da of class k from its first step and the sum of all of them.
  float second_step(ulong k, float first, float sum) const {
    return of_logits ? first - precise::exp(log_y[k]) * sum : first;
  }
};

}  // namespace ctc
}  // namespace assay
