#include "bench/peers/ctc_arb.h"

#include <stdlib.h>

static arb_t* new_vector(long n) {
  arb_t* x = malloc((size_t)n * sizeof(arb_t));
  for (long i = 0; i < n; ++i) arb_init(x[i]);
  return x;
}

static void delete_vector(arb_t* x, long n) {
  for (long i = 0; i < n; ++i) arb_clear(x[i]);
  free(x);
}

void ctc_arb_init(ctc_arb* ctc, long T, long C, long S, slong bits) {
  const long L = 2 * S + 1;
  ctc->T = T, ctc->C = C, ctc->S = S, ctc->L = L;
  ctc->labels = malloc((size_t)L * sizeof(long));
  ctc->y = new_vector(T * C);
  ctc->alpha = new_vector(T * L);
  ctc->beta = new_vector(L);
  ctc->gradient = new_vector(T * C);
  ctc->bits = bits;
  arb_init(ctc->largest), arb_init(ctc->loss), arb_init(ctc->p), arb_init(ctc->scratch);
}

void ctc_arb_clear(ctc_arb* ctc) {
  free(ctc->labels);
  delete_vector(ctc->y, ctc->T * ctc->C);
  delete_vector(ctc->alpha, ctc->T * ctc->L);
  delete_vector(ctc->beta, ctc->L);
  delete_vector(ctc->gradient, ctc->T * ctc->C);
  arb_clear(ctc->largest), arb_clear(ctc->loss), arb_clear(ctc->p), arb_clear(ctc->scratch);
}

static void softmax(ctc_arb* ctc, const double* logits) {
  const long C = ctc->C;
  for (long t = 0; t < ctc->T; ++t) {
    const double* a = logits + t * C;
    arb_t* y = ctc->y + t * C;
    double largest = a[0];
    for (long k = 1; k < C; ++k) largest = a[k] > largest ? a[k] : largest;
    arb_set_d(ctc->largest, largest);
    arb_zero(ctc->scratch);
    for (long k = 0; k < C; ++k) {
      arb_set_d(y[k], a[k]);
      arb_sub(y[k], y[k], ctc->largest, ctc->bits);
      arb_exp(y[k], y[k], ctc->bits);
      arb_add(ctc->scratch, ctc->scratch, y[k], ctc->bits);
    }
    arb_ui_div(ctc->scratch, 1, ctc->scratch, ctc->bits);
    for (long k = 0; k < C; ++k) arb_mul(y[k], y[k], ctc->scratch, ctc->bits);
  }
}

/* States that a path can be in at frame t: two a frame from the start, two a frame to the end. */
static long first_state(const ctc_arb* ctc, long t) {
  const long first = ctc->L - 2 * (ctc->T - t);
  return first > 0 ? first : 0;
}
static long end_state(const ctc_arb* ctc, long t) {
  const long end = 2 * t + 2;
  return end < ctc->L ? end : ctc->L;
}
static int skips(const ctc_arb* ctc, long s) {
  return s >= 2 && ctc->labels[s] != 0 && ctc->labels[s] != ctc->labels[s - 2];
}

static void forward(ctc_arb* ctc) {
  const long L = ctc->L, T = ctc->T;
  for (long s = first_state(ctc, 0); s < end_state(ctc, 0); ++s) arb_set(ctc->alpha[s], ctc->y[ctc->labels[s]]);
  for (long t = 1; t < T; ++t) {
    const arb_t* y = (const arb_t*)ctc->y + t * ctc->C;
    arb_t* before = ctc->alpha + (t - 1) * L;
    arb_t* now = ctc->alpha + t * L;
    for (long s = first_state(ctc, t); s < end_state(ctc, t); ++s) {
      if (s == 0) {
        arb_mul(now[0], before[0], y[0], ctc->bits);
        continue;
      }
      arb_add(now[s], before[s], before[s - 1], ctc->bits);
      if (skips(ctc, s)) arb_add(now[s], now[s], before[s - 2], ctc->bits);
      arb_mul(now[s], now[s], y[ctc->labels[s]], ctc->bits);
    }
  }
  arb_set(ctc->p, ctc->alpha[T * L - 1]);
  if (L > 1) arb_add(ctc->p, ctc->p, ctc->alpha[T * L - 2], ctc->bits);
  arb_log(ctc->loss, ctc->p, ctc->bits);
  arb_neg(ctc->loss, ctc->loss);
}

/* The gradient y - posterior; beta_t without y_t while it is multiplied by alpha, with y_t for the next frame. */
static void backward(ctc_arb* ctc) {
  const long C = ctc->C, L = ctc->L, T = ctc->T;
  arb_t* beta = ctc->beta;
  for (long s = 0; s < L; ++s) arb_zero(beta[s]);
  arb_ui_div(ctc->p, 1, ctc->p, ctc->bits);
  for (long t = T - 1; t >= 0; --t) {
    arb_t* y = ctc->y + t * C;
    arb_t* gradient = ctc->gradient + t * C;
    for (long k = 0; k < C; ++k) arb_zero(gradient[k]);
    for (long s = first_state(ctc, t); s < end_state(ctc, t); ++s) {
      const long k = ctc->labels[s];
      if (t == T - 1) {
        arb_set_ui(beta[s], 1);
      } else {
        if (s + 1 < L) arb_add(beta[s], beta[s], beta[s + 1], ctc->bits);
        if (s + 2 < L && skips(ctc, s + 2)) arb_add(beta[s], beta[s], beta[s + 2], ctc->bits);
      }
      arb_mul(ctc->scratch, ctc->alpha[t * L + s], beta[s], ctc->bits);
      arb_add(gradient[k], gradient[k], ctc->scratch, ctc->bits);
      arb_mul(beta[s], beta[s], y[k], ctc->bits);
    }
    for (long k = 0; k < C; ++k) {
      arb_mul(gradient[k], gradient[k], ctc->p, ctc->bits);
      arb_sub(gradient[k], y[k], gradient[k], ctc->bits);
    }
  }
}

void ctc_arb_run(ctc_arb* ctc, const double* logits, const long* targets) {
  for (long s = 0; s < ctc->L; ++s) ctc->labels[s] = s % 2 == 0 ? 0 : targets[s / 2];
  softmax(ctc, logits);
  forward(ctc);
  backward(ctc);
}
