#include "bench/peers/ctc_mpfr.h"

#include <stdlib.h>

static mpfr_t* new_vector(long n, mpfr_prec_t bits) {
  mpfr_t* x = malloc((size_t)n * sizeof(mpfr_t));
  for (long i = 0; i < n; ++i) {
    mpfr_init2(x[i], bits);
    mpfr_set_zero(x[i], 1);
  }
  return x;
}

static void delete_vector(mpfr_t* x, long n) {
  for (long i = 0; i < n; ++i) mpfr_clear(x[i]);
  free(x);
}

void ctc_mpfr_init(ctc_mpfr* ctc, long T, long C, long S, mpfr_prec_t bits) {
  const long L = 2 * S + 1;
  ctc->T = T, ctc->C = C, ctc->S = S, ctc->L = L;
  ctc->labels = malloc((size_t)L * sizeof(long));
  ctc->y = new_vector(T * C, bits);
  ctc->alpha = new_vector(T * L, bits);
  ctc->beta = new_vector(L, bits);
  ctc->gradient = new_vector(T * C, bits);
  mpfr_inits2(bits, ctc->loss, ctc->p, ctc->scratch, (mpfr_ptr)0);
}

void ctc_mpfr_clear(ctc_mpfr* ctc) {
  free(ctc->labels);
  delete_vector(ctc->y, ctc->T * ctc->C);
  delete_vector(ctc->alpha, ctc->T * ctc->L);
  delete_vector(ctc->beta, ctc->L);
  delete_vector(ctc->gradient, ctc->T * ctc->C);
  mpfr_clears(ctc->loss, ctc->p, ctc->scratch, (mpfr_ptr)0);
}

static void softmax(ctc_mpfr* ctc, const double* logits) {
  const long C = ctc->C;
  for (long t = 0; t < ctc->T; ++t) {
    const double* a = logits + t * C;
    mpfr_t* y = ctc->y + t * C;
    double largest = a[0];
    for (long k = 1; k < C; ++k) largest = a[k] > largest ? a[k] : largest;
    mpfr_set_zero(ctc->scratch, 1);
    for (long k = 0; k < C; ++k) {
      mpfr_set_d(y[k], a[k], MPFR_RNDN);
      mpfr_sub_d(y[k], y[k], largest, MPFR_RNDN);
      mpfr_exp(y[k], y[k], MPFR_RNDN);
      mpfr_add(ctc->scratch, ctc->scratch, y[k], MPFR_RNDN);
    }
    mpfr_ui_div(ctc->scratch, 1, ctc->scratch, MPFR_RNDN);
    for (long k = 0; k < C; ++k) mpfr_mul(y[k], y[k], ctc->scratch, MPFR_RNDN);
  }
}

/* States that a path can be in at frame t: two a frame from the start, two a frame to the end. */
static long first_state(const ctc_mpfr* ctc, long t) {
  const long first = ctc->L - 2 * (ctc->T - t);
  return first > 0 ? first : 0;
}
static long end_state(const ctc_mpfr* ctc, long t) {
  const long end = 2 * t + 2;
  return end < ctc->L ? end : ctc->L;
}
static int skips(const ctc_mpfr* ctc, long s) {
  return s >= 2 && ctc->labels[s] != 0 && ctc->labels[s] != ctc->labels[s - 2];
}

static void forward(ctc_mpfr* ctc) {
  const long L = ctc->L, T = ctc->T;
  for (long s = first_state(ctc, 0); s < end_state(ctc, 0); ++s)
    mpfr_set(ctc->alpha[s], ctc->y[ctc->labels[s]], MPFR_RNDN);
  for (long t = 1; t < T; ++t) {
    const mpfr_t* y = (const mpfr_t*)ctc->y + t * ctc->C;
    mpfr_t* before = ctc->alpha + (t - 1) * L;
    mpfr_t* now = ctc->alpha + t * L;
    for (long s = first_state(ctc, t); s < end_state(ctc, t); ++s) {
      if (s == 0) {
        mpfr_mul(now[0], before[0], y[0], MPFR_RNDN);
        continue;
      }
      mpfr_add(now[s], before[s], before[s - 1], MPFR_RNDN);
      if (skips(ctc, s)) mpfr_add(now[s], now[s], before[s - 2], MPFR_RNDN);
      mpfr_mul(now[s], now[s], y[ctc->labels[s]], MPFR_RNDN);
    }
  }
  mpfr_set(ctc->p, ctc->alpha[T * L - 1], MPFR_RNDN);
  if (L > 1) mpfr_add(ctc->p, ctc->p, ctc->alpha[T * L - 2], MPFR_RNDN);
  mpfr_log(ctc->loss, ctc->p, MPFR_RNDN);
  mpfr_neg(ctc->loss, ctc->loss, MPFR_RNDN);
}

/* The gradient y - posterior; beta_t without y_t while it is multiplied by alpha, with y_t for the next frame. */
static void backward(ctc_mpfr* ctc) {
  const long C = ctc->C, L = ctc->L, T = ctc->T;
  mpfr_t* beta = ctc->beta;
  for (long s = 0; s < L; ++s) mpfr_set_zero(beta[s], 1);
  mpfr_ui_div(ctc->p, 1, ctc->p, MPFR_RNDN);
  for (long t = T - 1; t >= 0; --t) {
    mpfr_t* y = ctc->y + t * C;
    mpfr_t* gradient = ctc->gradient + t * C;
    for (long k = 0; k < C; ++k) mpfr_set_zero(gradient[k], 1);
    for (long s = first_state(ctc, t); s < end_state(ctc, t); ++s) {
      const long k = ctc->labels[s];
      if (t == T - 1) {
        mpfr_set_ui(beta[s], 1, MPFR_RNDN);
      } else {
        if (s + 1 < L) mpfr_add(beta[s], beta[s], beta[s + 1], MPFR_RNDN);
        if (s + 2 < L && skips(ctc, s + 2)) mpfr_add(beta[s], beta[s], beta[s + 2], MPFR_RNDN);
      }
      mpfr_mul(ctc->scratch, ctc->alpha[t * L + s], beta[s], MPFR_RNDN);
      mpfr_add(gradient[k], gradient[k], ctc->scratch, MPFR_RNDN);
      mpfr_mul(beta[s], beta[s], y[k], MPFR_RNDN);
    }
    for (long k = 0; k < C; ++k) {
      mpfr_mul(gradient[k], gradient[k], ctc->p, MPFR_RNDN);
      mpfr_sub(gradient[k], y[k], gradient[k], MPFR_RNDN);
    }
  }
}

void ctc_mpfr_run(ctc_mpfr* ctc, const double* logits, const long* targets) {
  for (long s = 0; s < ctc->L; ++s) ctc->labels[s] = s % 2 == 0 ? 0 : targets[s / 2];
  softmax(ctc, logits);
  forward(ctc);
  backward(ctc);
}
