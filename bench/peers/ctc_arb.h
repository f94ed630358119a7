/* The CTC loss and its gradient with respect to the logits, as one would write them in plain C on Arb: one sequence,
   the recursions of Graves et al. 2006 on probabilities, all storage made beforehand. Ball is compared with it. */
#ifndef ASSAY_BENCH_CTC_ARB_H
#define ASSAY_BENCH_CTC_ARB_H

#include <arb.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  long T, C, S, L;
  slong bits;
  long* labels;    /* [L]     l', blank 0 */
  arb_t* y;        /* [T, C] */
  arb_t* alpha;    /* [T, L] */
  arb_t* beta;     /* [L]     one frame */
  arb_t* gradient; /* [T, C]  result */
  arb_t loss, p, largest, scratch;
} ctc_arb;

void ctc_arb_init(ctc_arb* ctc, long T, long C, long S, slong bits);
void ctc_arb_clear(ctc_arb* ctc);

/* logits [T, C], targets [S] with labels in 1..C-1: fills ctc->loss and ctc->gradient. */
void ctc_arb_run(ctc_arb* ctc, const double* logits, const long* targets);

#ifdef __cplusplus
}
#endif

#endif
