/* CTC plug-ins that each do one thing that a plug-in may not do; HOSTILE names it. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "assay_plugin.h"
#include "tests/plugin/naive_ctc.h"

enum hostile {
  HANGS,
  READS_NULL,
  ABORTS,
  LEAVES,
  EXITS,
  QUICK_EXITS,
  FORKS,
  FORKS_AND_LEAVES,
  WAITS,
  WRITES_BEHIND,
  WRITES_BEFORE,
  WRITES_FAR_BEFORE,
  WRITES_INPUT,
  UNLOCKS_INPUT,
  READS_BEHIND,
  LOADS_ALIGNED,
  STORES_ALIGNED,
  LEAVES_UNWRITTEN,
  GIVES_NAN,
  GIVES_RANDOM,
  PRINTS,
  FAILS,
  REFUSES,
  ANSWERS_NONSENSE,
  NEWER_VERSION,
  NO_VERSION,
  TINY_STRUCT,
  HUGE_STRUCT,
  OLDER_STRUCT,
  NO_RUN,
  BAD_DTYPE,
  BAD_ROUNDOFF,
  BAD_FLAGS,
  OVERFLOWS_STACK,
  ALIGNED,
  ALIGNED_WRITES_BEHIND,
  HANGS_LOADING,
  DIES_LOADING,
  READS_NULL_LOADING,
  EXITS_LIKE_A_SIGNAL,
  WRITES_PAST_ADDRESSES,
  WRITES_FAR_BELOW,
  DECLINES_SOME,
  DECLINES_MOST,
  LIMITED,
  BAD_LIMIT
};

static volatile int nothing;
static const volatile int* volatile nowhere;

/* Where an instruction for aligned vectors of four floats begins that ignores the lowest bits of an address. */
static void* aligned(const void* at) {
  return (void*)((uintptr_t)at & ~(uintptr_t)15);
}

static void compute(const assay_ctc_problem* p, const assay_ctc_output* out) {
  float *loss = out->loss, *gradient = out->gradient;
  const float* logits = p->activations;
  if (HOSTILE == LOADS_ALIGNED && p->C % 4 == 0) logits = aligned(p->activations);
  if (HOSTILE == STORES_ALIGNED && p->C % 4 == 0 && gradient) gradient = aligned(out->gradient);
  for (int64_t i = 0; i < out->gradient_size; ++i) gradient[i] = 0;
  for (int64_t b = 0; b < p->B; ++b)
    loss[b] = (float)naive_ctc(logits + b * p->C, 1, p->targets + b * p->S, p->input_lengths[b], p->C,
                               p->target_lengths[b], p->B * p->C, 0, 1, 1, 0, gradient ? gradient + b * p->C : NULL);
}

/* Whether a logit of a row's frames is beyond `limit`. */
static int has_beyond(const assay_ctc_problem* p, float limit) {
  const float* logits = p->activations;
  for (int64_t t = 0; t < p->T; ++t)
    for (int64_t b = 0; b < p->B; ++b)
      for (int64_t k = 0; k < p->C && t < p->input_lengths[b]; ++k) {
        const float a = fabsf(logits[(t * p->B + b) * p->C + k]);
        if (a > limit && a < INFINITY) return 1;
      }
  return 0;
}

/* Changes the last byte of an array that lies in pages which may not be written, until now. */
static void unlock_and_change(const void* array, int64_t bytes) {
  const uintptr_t last = (uintptr_t)array + (uintptr_t)bytes - 1, page = last & ~(uintptr_t)(getpagesize() - 1);
  if (bytes > 0 && mprotect((void*)page, 1, PROT_READ | PROT_WRITE) == 0) ++*(unsigned char*)last;
}

static int deeper(int depth) {
  volatile char frame[4096];
  frame[0] = (char)depth;
  return depth < 0 ? 0 : deeper(depth + 1) + frame[0];
}

static int run(const assay_ctc_problem* p, const assay_ctc_output* out, char* message, size_t message_size) {
  float *loss = out->loss, *gradient = out->gradient;
  static unsigned calls = 0;
  ++calls;
  if (HOSTILE == PRINTS) printf("\033[2Jcall %u\nproperty pass\n", calls);
  if (HOSTILE == LEAVES_UNWRITTEN) return ASSAY_OK;
  compute(p, out);
  switch (HOSTILE) {
    case HANGS:
      while (!nothing) continue;
      break;
    case READS_NULL:
      return *(volatile const int*)NULL;
    case ABORTS:
      fprintf(stderr, "assertion failed: frames > 0\n");
      abort();
    case LEAVES:
      _exit(0);
    case EXITS:
      exit(0);
    case EXITS_LIKE_A_SIGNAL:
      exit(135);
    case QUICK_EXITS:
      quick_exit(0);
    case FORKS:
    case FORKS_AND_LEAVES:
      for (int i = 0; i < 3; ++i)
        if (fork() == 0)
          for (;;) pause();
      if (HOSTILE == FORKS_AND_LEAVES) _exit(0);
      break;
    case WAITS:
      for (;;) pause();
    case WRITES_BEHIND:
      if (gradient) gradient[out->gradient_size] = 0;
      break;
    case WRITES_BEFORE:
      loss[-1] = 0;
      break;
    case WRITES_FAR_BEFORE:
      loss[-3000] = 0;
      break;
    case WRITES_FAR_BELOW:
      loss[-((int64_t)1 << 34)] = 0;
      break;
    case WRITES_PAST_ADDRESSES:
      loss[(int64_t)1 << 60] = 0;
      break;
    case WRITES_INPUT:
      if (p->activations) ((float*)p->activations)[p->activations_size / 2] = 0;
      break;
    case UNLOCKS_INPUT:
      unlock_and_change(p->activations, p->activations_size * (int64_t)sizeof(float));
      break;
    case READS_BEHIND:
      nothing = ((const volatile int64_t*)p->input_lengths)[p->B] == 12345;
      break;
    case GIVES_NAN:
      for (int64_t i = 0; i < out->gradient_size; ++i) gradient[i] = NAN;
      for (int64_t i = 0; i < out->loss_size; ++i) loss[i] = NAN;
      break;
    case GIVES_RANDOM:
      for (int64_t i = 0; i < out->loss_size; ++i) loss[i] *= 1 + 1e-6F * (float)(calls % 7);
      break;
    case FAILS:
      snprintf(message, message_size, "no device was found");
      return ASSAY_FAILED;
    case REFUSES:
      snprintf(message, message_size, "T is %lld: expected a multiple of 7", (long long)p->T);
      return ASSAY_REFUSED;
    case ANSWERS_NONSENSE:
      return 7;
    case DECLINES_SOME:
    case DECLINES_MOST:
      if (p->B <= (HOSTILE == DECLINES_SOME ? 3 : 1)) break;
      snprintf(message, message_size, "the batch is too large");
      return ASSAY_UNSUPPORTED;
    case LIMITED:
      if (!has_beyond(p, 8)) break;
      snprintf(message, message_size, "a logit beyond 8");
      return ASSAY_FAILED;
    case ALIGNED:
      if (((uintptr_t)loss | (uintptr_t)gradient | (uintptr_t)p->activations | (uintptr_t)p->targets) % 64 == 0) break;
      snprintf(message, message_size, "an array is not aligned");
      return ASSAY_FAILED;
    case ALIGNED_WRITES_BEHIND:
      loss[out->loss_size] = 0;
      break;
    case OVERFLOWS_STACK:
      return deeper(1) & 0;
    default:
      break;
  }
  return ASSAY_OK;
}

__attribute__((constructor)) static void load(void) {
  while (HOSTILE == HANGS_LOADING && !nothing) continue;
  if (HOSTILE == DIES_LOADING) abort();
  if (HOSTILE == READS_NULL_LOADING) nothing = *nowhere;
}

const assay_ctc_kernel assay_ctc = {.header = {HOSTILE == TINY_STRUCT    ? 8
                                               : HOSTILE == HUGE_STRUCT  ? 1u << 31
                                               : HOSTILE == OLDER_STRUCT ? offsetof(assay_ctc_kernel, alignment)
                                                                         : sizeof(assay_ctc_kernel),
                                               HOSTILE == NEWER_VERSION ? ASSAY_PLUGIN_VERSION + 1
                                               : HOSTILE == NO_VERSION  ? 0
                                                                        : ASSAY_PLUGIN_VERSION},
                                    .run = HOSTILE == NO_RUN ? NULL : run,
                                    .dtype = HOSTILE == BAD_DTYPE ? 9 : ASSAY_FLOAT32,
                                    .unit_roundoff = HOSTILE == BAD_ROUNDOFF ? 3 : 0,
                                    .unsupported = HOSTILE == BAD_FLAGS ? 1u << 30 : ASSAY_CTC_BASICS_ALONE,
                                    .alignment = HOSTILE == OLDER_STRUCT ? 3 /* past the end of what is there */
                                                 : HOSTILE == ALIGNED || HOSTILE == ALIGNED_WRITES_BEHIND ? 64
                                                                                                          : 0,
                                    .largest_activation = HOSTILE == LIMITED     ? 8
                                                          : HOSTILE == BAD_LIMIT ? -1
                                                                                 : 0};
