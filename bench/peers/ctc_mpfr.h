/* The CTC loss and its gradient with respect to the logits, as one would write them in plain C on MPFR: one sequence,
   the recursions of Graves et al. 2006 on probabilities, all storage made beforehand. BigFloat is compared with it. */
#ifndef ASSAY_BENCH_CTC_MPFR_H
#define ASSAY_BENCH_CTC_MPFR_H

#include <mpfr.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  long T, C, S, L;
  long* labels;     /* [L]     l', blank 0 */
  mpfr_t* y;        /* [T, C] */
  mpfr_t* alpha;    /* [T, L] */
  mpfr_t* beta;     /* [L]     one frame */
  mpfr_t* gradient; /* [T, C]  result */
  mpfr_t loss, p, scratch;
} ctc_mpfr;

void ctc_mpfr_init(ctc_mpfr* ctc, long T, long C, long S, mpfr_prec_t bits);
void ctc_mpfr_clear(ctc_mpfr* ctc);

/* logits [T, C], targets [S] with labels in 1..C-1: fills ctc->loss and ctc->gradient. */
void ctc_mpfr_run(ctc_mpfr* ctc, const double* logits, const long* targets);

#ifdef __cplusplus
}
#endif

#endif
