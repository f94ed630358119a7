/* assay_plugin.h - lets `assay gate` judge a kernel of yours: docs/plugins.md.
 *
 * A shared library that exports any of the constants assay_ctc, assay_cce and assay_svd, declared below, is a plug-in:
 *
 *   static int run(const assay_ctc_problem* p, const assay_ctc_output* out, char* message, size_t message_size) {
 *     my_ctc(p->T, p->B, p->C, p->activations, ..., out->loss, out->gradient);
 *     return ASSAY_OK;
 *   }
 *   const assay_ctc_kernel assay_ctc = {ASSAY_HEADER(assay_ctc_kernel), .name = "my CTC", .run = run};
 *
 * Fields left 0 have the meaning that asks least of a float32 kernel. C99 and C++20; arrays are row-major and
 * contiguous. Versions: fields are only ever appended, and 0 is their default; a change of ASSAY_PLUGIN_VERSION breaks.
 */
#ifndef ASSAY_PLUGIN_H
#define ASSAY_PLUGIN_H

/* NOLINTBEGIN: C's headers and names */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_PLUGIN_VERSION 1

/* What every struct begins with, so that a program of another version knows where it ends. */
typedef struct assay_header {
  uint32_t struct_size; /* in bytes */
  uint32_t version;     /* ASSAY_PLUGIN_VERSION */
} assay_header;

#define ASSAY_HEADER(type) .header = {(uint32_t)sizeof(type), ASSAY_PLUGIN_VERSION}

/* What run returns. It writes a text that ends in 0 to message unless it returns ASSAY_OK. */
enum assay_status {
  ASSAY_OK = 0,      /* every element of the outputs has been written */
  ASSAY_REFUSED = 1, /* a bad argument, which message names; nothing has been written */
  ASSAY_FAILED = 2,  /* anything else that went wrong: message says what */
  ASSAY_UNSUPPORTED =
      3 /* a valid problem that the kernel cannot do: message says why. The case is skipped, and counted;
           where more than half of the cases of a property are, the property counts as not judged */
};

enum assay_dtype { ASSAY_FLOAT32 = 0, ASSAY_FLOAT16 = 1, ASSAY_BFLOAT16 = 2, ASSAY_FLOAT64 = 3 };
#define ASSAY_DTYPE_BIT(dtype) (1u << (dtype)) /* for declarations of several types */

enum assay_reduction { ASSAY_NONE = 0, ASSAY_SUM = 1, ASSAY_MEAN = 2 };

/* ---- CTC: connectionist temporal classification ---------------------------------------------------------------------
 *
 *   T frames, B rows of a batch, C classes with blank, S the longest target
 *   loss_b = -ln sum of the probabilities of all alignments of row b (Graves et al. 2006), or +inf where there is none
 *   ASSAY_MEAN divides each loss by max(its labels, 1) and takes the mean over B, as PyTorch does
 */
enum assay_ctc_input { ASSAY_LOGITS = 0, ASSAY_LOG_PROBS = 1 };
enum assay_ctc_layout { ASSAY_PADDED = 0, ASSAY_CONCATENATED = 1 };

/* An array of no elements is NULL. */
typedef struct assay_ctc_problem {
  assay_header header;
  int64_t T, B, C, S;
  const void* activations;       /* [T, B, C] of dtype: logits, or log-probabilities */
  const int64_t* targets;        /* [B, S] padded, or the labels of all rows one after the other */
  const int64_t* input_lengths;  /* [B], frames of each row */
  const int64_t* target_lengths; /* [B], labels of each row */
  const float* upstream;         /* dL/dloss: [B] for ASSAY_NONE, else [1]; NULL means ones */
  int64_t blank;                 /* class in [0, C) */
  int32_t dtype;                 /* assay_dtype of activations, loss and gradient: the one declared */
  int32_t input;                 /* assay_ctc_input: what activations are */
  int32_t variable;              /* assay_ctc_input: what the gradient is with respect to */
  int32_t layout;                /* assay_ctc_layout of targets */
  int32_t reduction;             /* assay_reduction of loss */
  int32_t zero_infinity;         /* 1: rows that cannot be aligned have loss 0 and gradient 0; else +inf and NaN */
  int32_t threads;               /* 0: as many as the kernel likes */
  int32_t reserved;
  /* Elements that the arrays really have, for a kernel that checks its arguments. */
  int64_t activations_size, targets_size, input_lengths_size, target_lengths_size, upstream_size;
} assay_ctc_problem;

typedef struct assay_ctc_output {
  assay_header header;
  void* loss;     /* [B] for ASSAY_NONE, else [1], of dtype */
  void* gradient; /* [T, B, C] of dtype, 0 for frames from input_lengths[b] on; NULL: the loss alone is wanted */
  int64_t loss_size, gradient_size;
} assay_ctc_output;

/* How it computes inside, from which the bound on its errors follows (docs/bounds.md). */
enum assay_ctc_arithmetic {
  ASSAY_LOG_SPACE = 0,  /* ln alpha and ln beta by log-sum-exp: loses digits as losses grow */
  ASSAY_PROBABILITY = 1 /* sums and products of probabilities whose range does not limit them: scaled, or extended */
};

/* What a CTC kernel does not do, or do as said: such cases are skipped, and counted. */
enum assay_ctc_lack {
  ASSAY_CTC_NO_LOGITS = 1 << 0,
  ASSAY_CTC_NO_LOG_PROBS = 1 << 1,
  ASSAY_CTC_NO_GRADIENT_OF_LOGITS = 1 << 2,
  ASSAY_CTC_NO_GRADIENT_OF_LOG_PROBS = 1 << 3,
  ASSAY_CTC_NO_PADDED = 1 << 4,
  ASSAY_CTC_NO_CONCATENATED = 1 << 5,
  ASSAY_CTC_NO_REDUCTION_NONE = 1 << 6,
  ASSAY_CTC_NO_REDUCTION_SUM = 1 << 7,
  ASSAY_CTC_NO_REDUCTION_MEAN = 1 << 8,
  ASSAY_CTC_NO_UPSTREAM = 1 << 9,
  ASSAY_CTC_NO_ZERO_INFINITY = 1 << 10,
  ASSAY_CTC_NO_OTHER_BLANK = 1 << 11, /* than class 0 */
  ASSAY_CTC_NO_EMPTY = 1 << 12,       /* T, B or S of 0, rows of no frames or labels */
  ASSAY_CTC_NO_CHECKS = 1 << 13,      /* bad arguments are not refused by name */
  ASSAY_CTC_NO_SAME_BITS = 1 << 14,   /* sums in any order, as of atomics: bits may change from call to call */
  /* What remains: dL/dlogits of padded targets from logits, blank 0, a loss for each row, no upstream gradient. */
  ASSAY_CTC_BASICS_ALONE = ASSAY_CTC_NO_LOG_PROBS | ASSAY_CTC_NO_GRADIENT_OF_LOG_PROBS | ASSAY_CTC_NO_CONCATENATED |
                           ASSAY_CTC_NO_REDUCTION_SUM | ASSAY_CTC_NO_REDUCTION_MEAN | ASSAY_CTC_NO_UPSTREAM |
                           ASSAY_CTC_NO_ZERO_INFINITY | ASSAY_CTC_NO_OTHER_BLANK | ASSAY_CTC_NO_CHECKS
};

typedef int assay_ctc_run(const assay_ctc_problem* problem, const assay_ctc_output* output, char* message,
                          size_t message_size);

typedef struct assay_ctc_kernel {
  assay_header header;
  const char* name; /* for messages; may be NULL */
  assay_ctc_run* run;
  uint32_t dtype;       /* assay_dtype of activations, loss and gradient; not ASSAY_FLOAT64 */
  uint32_t arithmetic;  /* assay_ctc_arithmetic */
  double unit_roundoff; /* of the arithmetic inside; 0: of float32, 2^-24 */
  uint32_t two_step;    /* 1: dL/dlogits is taken from dL/dlog_probs through the softmax, not from y - posterior */
  uint32_t unsupported; /* a sum of assay_ctc_lack */
  int64_t largest_T, largest_B, largest_C, largest_S; /* 0: no limit */
  int64_t alignment; /* of every array, in bytes: a power of two up to 4096; 0: that of its elements */
  /* Limits of the finite activations in a row's frames, for a kernel of limited range; 0: no limit. */
  double largest_activation; /* of |a| */
  double largest_spread;     /* of the largest less the smallest of a frame */
  uint32_t random_rounding;  /* 1: rounds to nearest throughout, so that errors are of mean 0: bounds like sqrt(T) */
  uint32_t batch_invariant;  /* 1: a row has the same bits whatever B is */
  uint32_t nonnegative_loss; /* 1: no loss of logits is below 0, by rounding either */
} assay_ctc_kernel;

/* ---- CCE: linear cross-entropy --------------------------------------------------------------------------------------
 *
 *   N tokens, H hidden size, V vocabulary;  z = hidden weight^T + bias;  x = logit_softcap tanh(z / logit_softcap)
 *   lse = ln sum_v exp x_v;  t the target
 *   loss = lse - (1 - label_smoothing) x_t - (label_smoothing / V) sum_v x_v + z_loss lse^2
 *   A target of ignore_index has loss 0 and gradient 0; ASSAY_MEAN divides by the tokens that are not ignored.
 */
typedef struct assay_cce_problem {
  assay_header header;
  int64_t N, H, V;
  const void* hidden;     /* [N, H] of dtype */
  const void* weight;     /* [V, H] of dtype */
  const void* bias;       /* [V] of dtype; NULL: none. -inf takes a word out of the vocabulary */
  const int64_t* targets; /* [N], in [0, V) or ignore_index */
  const float* upstream;  /* dL/dloss: [N] for ASSAY_NONE, else [1]; NULL means ones */
  int64_t ignore_index;
  double logit_softcap;   /* 0 or +inf: none */
  double label_smoothing; /* in [0, 1] */
  double z_loss;          /* at least 0 */
  int32_t dtype;          /* assay_dtype of hidden, weight, bias and the gradients: one of those declared */
  int32_t reduction;      /* assay_reduction */
  int32_t threads;        /* 0: as many as the kernel likes */
  int32_t reserved;
  int64_t hidden_size, weight_size, bias_size, targets_size, upstream_size; /* elements that the arrays really have */
} assay_cce_problem;

/* A gradient that is NULL is not wanted. */
typedef struct assay_cce_output {
  assay_header header;
  float* loss;   /* [N] for ASSAY_NONE, else [1] */
  void* dhidden; /* [N, H] of dtype */
  void* dweight; /* [V, H] of dtype */
  void* dbias;   /* [V] of dtype */
  int64_t loss_size, dhidden_size, dweight_size, dbias_size;
} assay_cce_output;

enum assay_cce_lack {
  ASSAY_CCE_NO_BIAS = 1 << 0,
  ASSAY_CCE_NO_LOGIT_SOFTCAP = 1 << 1,
  ASSAY_CCE_NO_LABEL_SMOOTHING = 1 << 2,
  ASSAY_CCE_NO_Z_LOSS = 1 << 3,
  ASSAY_CCE_NO_REDUCTION_NONE = 1 << 4,
  ASSAY_CCE_NO_REDUCTION_SUM = 1 << 5,
  ASSAY_CCE_NO_REDUCTION_MEAN = 1 << 6,
  ASSAY_CCE_NO_UPSTREAM = 1 << 7,
  ASSAY_CCE_NO_OTHER_IGNORE_INDEX = 1 << 8, /* than -100 */
  ASSAY_CCE_NO_EMPTY = 1 << 9,              /* no tokens, or none but ignored ones */
  ASSAY_CCE_NO_CHECKS = 1 << 10,            /* bad arguments are not refused by name */
  ASSAY_CCE_NO_SAME_BITS = 1 << 11          /* sums in any order, as of atomics: bits may change from call to call */
};

typedef int assay_cce_run(const assay_cce_problem* problem, const assay_cce_output* output, char* message,
                          size_t message_size);

typedef struct assay_cce_kernel {
  assay_header header;
  const char* name; /* for messages; may be NULL */
  assay_cce_run* run;
  uint32_t dtypes;       /* a sum of ASSAY_DTYPE_BIT(...), not of ASSAY_FLOAT64; 0: float32 alone */
  uint32_t unsupported;  /* a sum of assay_cce_lack */
  double unit_roundoff;  /* of the arithmetic inside: logits, exponentials, sums; 0: of float32, 2^-24 */
  double exp_error;      /* of exp, log and tanh, in units of unit_roundoff; 0: 4 */
  int64_t longest_chain; /* the most additions a term of a long sum passes through; 0: as many as there are terms */
  int64_t bfloat16_roundings;              /* how often dL/dz is rounded to bfloat16, where that is the dtype */
  int64_t largest_N, largest_H, largest_V; /* 0: no limit */
  int64_t alignment;        /* of every array, in bytes: a power of two up to 4096; 0: that of its elements */
  uint32_t rounded_lse;     /* 1: lse is rounded to one number before logits are subtracted from it */
  uint32_t batch_invariant; /* 1: a token's loss and dhidden have the same bits whatever N is */
  double sum_roundoff;      /* of the sums in a loss, of exponentials and of tokens' losses; 0: unit_roundoff */
} assay_cce_kernel;

/* ---- SVD: singular value decomposition ------------------------------------------------------------------------------
 *
 *   B matrices of M rows and N columns, K = min(M, N);  A_b = U_b diag(S_b) Vh_b, thin factors, S_b descending
 */
typedef struct assay_svd_problem {
  assay_header header;
  int64_t B, M, N;
  const void* A;   /* [B, M, N] of dtype */
  int32_t dtype;   /* assay_dtype of A, U and Vh: one of those declared */
  int32_t threads; /* 0: as many as the kernel likes */
  int64_t A_size;  /* elements that A really has */
} assay_svd_problem;

typedef struct assay_svd_output {
  assay_header header;
  void* U;  /* [B, M, K] of dtype; NULL, and Vh with it: the values alone are wanted */
  void* S;  /* [B, K] of double where dtype is ASSAY_FLOAT64, else of float */
  void* Vh; /* [B, K, N] of dtype */
  int64_t U_size, S_size, Vh_size;
} assay_svd_output;

enum assay_svd_lack {
  ASSAY_SVD_NO_WIDE = 1 << 0,     /* M < N */
  ASSAY_SVD_NO_TALL = 1 << 1,     /* M > N */
  ASSAY_SVD_NO_EMPTY = 1 << 2,    /* B, M or N of 0 */
  ASSAY_SVD_NO_CHECKS = 1 << 3,   /* bad arguments are not refused by name */
  ASSAY_SVD_NO_SAME_BITS = 1 << 4 /* sums in any order, as of atomics: bits may change from call to call */
};

typedef int assay_svd_run(const assay_svd_problem* problem, const assay_svd_output* output, char* message,
                          size_t message_size);

typedef struct assay_svd_kernel {
  assay_header header;
  const char* name; /* for messages; may be NULL */
  assay_svd_run* run;
  uint32_t dtypes;          /* a sum of ASSAY_DTYPE_BIT(...); 0: float32 alone */
  uint32_t unsupported;     /* a sum of assay_svd_lack */
  double unit_roundoff;     /* inside, for types of at most 32 bits; 0: of float32, 2^-24. Of float64 2^-53 */
  double graded_range;      /* 0: not claimed. Singular values of graded matrices above so much of the largest, a power
                               of two such as 0x1p-50, are of relative accuracy, as one-sided Jacobi gives them */
  int64_t sweeps;           /* how often every column meets every other, or what the algorithm is worth; 0: 10 */
  uint32_t canonical_signs; /* 1: of each column of U the first of the largest elements is positive */
  uint32_t exact_scaling;   /* 1: a matrix times a power of two has the same bits of U and Vh */
  int64_t largest_B, largest_M, largest_N; /* 0: no limit */
  int64_t alignment;        /* of every array, in bytes: a power of two up to 4096; 0: that of its elements */
  uint32_t same_values;     /* 1: without vectors, S has the bits that it has with vectors */
  uint32_t batch_invariant; /* 1: a matrix has the same bits of its factors whatever B is */
} assay_svd_kernel;

/* What a plug-in may define. */
#if defined(__GNUC__)
#define ASSAY_EXPORT __attribute__((visibility("default")))
#else
#define ASSAY_EXPORT
#endif
extern ASSAY_EXPORT const assay_ctc_kernel assay_ctc;
extern ASSAY_EXPORT const assay_cce_kernel assay_cce;
extern ASSAY_EXPORT const assay_svd_kernel assay_svd;

#ifdef __cplusplus
}
#endif
/* NOLINTEND */

#endif
