/* CTC of one row in double precision, or in that of NAIVE_REAL, by the forward and backward recursions in log space
 * (Graves et al. 2006). */
#ifndef NAIVE_CTC_H
#define NAIVE_CTC_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef NAIVE_REAL
#define NAIVE_REAL double
#endif
typedef NAIVE_REAL naive_real;

static inline naive_real naive_log_add(naive_real a, naive_real b) {
  const naive_real larger = a > b ? a : b, smaller = a > b ? b : a;
  return larger == -INFINITY ? -INFINITY : larger + log1p(exp(smaller - larger));
}

/* ln of the probabilities of one frame: log-softmax of logits, or log-probabilities as they are. */
static inline void naive_log_y(const float* frame, int64_t C, int is_logits, naive_real* log_y) {
  naive_real largest = -INFINITY, sum = 0;
  for (int64_t k = 0; k < C; ++k) largest = frame[k] > largest ? frame[k] : largest;
  for (int64_t k = 0; k < C; ++k) sum += exp(frame[k] - largest);
  for (int64_t k = 0; k < C; ++k) log_y[k] = is_logits ? frame[k] - largest - log(sum) : frame[k];
}

/* Class of state s of 2 S + 1: blanks between the labels. */
static inline int64_t naive_class(const int64_t* labels, int64_t s, int64_t blank) {
  return s % 2 == 0 ? blank : labels[s / 2];
}

/* Can state s be entered from s - 2? */
static inline int naive_skips(const int64_t* labels, int64_t s) {
  return s % 2 == 1 && s >= 3 && labels[s / 2] != labels[s / 2 - 1];
}

/* alpha [T, L] with the emission of the frame, beta [T, L] without. Returns ln p. */
static inline naive_real naive_recursions(const naive_real* log_y, const int64_t* labels, int64_t T, int64_t C,
                                          int64_t S, int64_t blank, naive_real* alpha, naive_real* beta) {
  const int64_t L = 2 * S + 1;
  for (int64_t t = 0; t < T; ++t) {
    for (int64_t s = 0; s < L; ++s) {
      naive_real sum = t == 0 ? (s < 2 ? 0 : -INFINITY) : alpha[(t - 1) * L + s];
      if (t > 0 && s >= 1) sum = naive_log_add(sum, alpha[(t - 1) * L + s - 1]);
      if (t > 0 && naive_skips(labels, s)) sum = naive_log_add(sum, alpha[(t - 1) * L + s - 2]);
      alpha[t * L + s] = sum + log_y[t * C + naive_class(labels, s, blank)];
    }
  }
  for (int64_t t = T - 1; t >= 0; --t) {
    for (int64_t s = 0; s < L; ++s) {
      naive_real sum = -INFINITY;
      if (t == T - 1) {
        sum = s >= L - 2 ? 0 : -INFINITY;
      } else {
        for (int64_t next = s; next < L && next <= s + 2; ++next) {
          if (next == s + 2 && !naive_skips(labels, next)) continue;
          const naive_real y = log_y[(t + 1) * C + naive_class(labels, next, blank)];
          sum = naive_log_add(sum, beta[(t + 1) * L + next] + y);
        }
      }
      beta[t * L + s] = sum;
    }
  }
  if (T == 0) return S == 0 ? 0 : -INFINITY;
  const naive_real last = alpha[T * L - 1];
  return L > 1 ? naive_log_add(last, alpha[T * L - 2]) : last;
}

/* Loss of a row of T frames, `stride` floats apart, and its gradient times `weight`: y - posterior, or -posterior for
 * dL/dlog_probs. No gradient where `gradient` is NULL. */
static inline naive_real naive_ctc(const float* activations, int is_logits, const int64_t* labels, int64_t T, int64_t C,
                                   int64_t S, int64_t stride, int64_t blank, naive_real weight, int of_logits,
                                   int zero_infinity, float* gradient) {
  const int64_t L = 2 * S + 1;
  naive_real* log_y = (naive_real*)malloc(sizeof(naive_real) * (size_t)(T * C + 2 * T * L + C + 1));
  naive_real *alpha = log_y + T * C, *beta = alpha + T * L, *posterior = beta + T * L;
  for (int64_t t = 0; t < T; ++t) naive_log_y(activations + t * stride, C, is_logits, log_y + t * C);
  const naive_real log_p = naive_recursions(log_y, labels, T, C, S, blank, alpha, beta);
  for (int64_t t = 0; gradient && t < T; ++t) {
    for (int64_t k = 0; k < C; ++k) posterior[k] = 0;
    for (int64_t s = 0; s < L; ++s)
      posterior[naive_class(labels, s, blank)] += exp(alpha[t * L + s] + beta[t * L + s] - log_p);
    for (int64_t k = 0; k < C; ++k) {
      const naive_real y = of_logits ? exp(log_y[t * C + k]) : 0;
      const naive_real exact = log_p == -INFINITY ? (zero_infinity ? 0 : NAN) : weight * (y - posterior[k]);
      gradient[t * stride + k] = (float)exact;
    }
  }
  free(log_y);
  if (log_p == -INFINITY) return zero_infinity ? 0 : INFINITY;
  return is_logits && !(log_p < 0) ? 0 : -log_p; /* rounding must not make p > 1 */
}

#endif
