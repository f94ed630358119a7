// The interface between the host and the kernels of linear cross-entropy: buffer indices, function constants, and the
// contents of the buffers. Both compilers read it; reference/cce/problem.h states the problem.
//
// M of the N tokens are not ignored. The host makes a table of these tokens, and the kernels neither read nor write the
// rows of any other. D is float, half or bfloat.
//
// The production path, in the order of its dispatches:
//
//   cce_forward_D          a threadgroup per 32 tokens and part of the vocabulary: the state of each token in each part
//   cce_loss               a thread per token: the states of its parts merged; lse and loss
//   cce_dhidden_D          a threadgroup per 32 tokens: dhidden
//   cce_dweight_D          a threadgroup per 32 entries: dweight, dbias
//
// The plain path, which follows the pseudo-code of plain.h:
//
//   cce_plain_forward_D    a threadgroup per token: lse and loss
//   cce_plain_dhidden_D    a threadgroup per token: dhidden
//   cce_plain_dweight_D    a threadgroup per entry: dweight, dbias
//
// The grid, in threadgroups:
//
//   forward                {tiles of 32 of count tokens, ceil(V / part_entries), 1} of 128 threads; y is the part
//   loss                   {ceil(M / 128), 1, 1} of 128 threads
//   dhidden                {tiles of 32 of count tokens, 1, 1} of 128 threads
//   dweight                {tiles of 32 of count entries, 1, 1} of 128 threads
//   plain                  {count, 1, 1} of 32 to 1024 threads, a multiple of 32
//
// One dispatch computes tokens or entries first .. first + count - 1. Several dispatches may follow each other; all use
// the same memory for sums and logits. Forward must be complete for all tokens before loss. A host that has lse already
// may begin with the backward kernels. All buffers are bound at every dispatch, except bias if there is none, and
// dweight and dbias if they are not wanted.
//
// Sums of logits are rounded once if no partial sum overflows a float. Otherwise they are infinite or NaN, and so are
// loss and gradients.
#pragma once

#ifdef __METAL_VERSION__
#include <metal_stdlib>
#else
#include <cstdint>
#endif

namespace assay {
namespace cce {

#ifdef __METAL_VERSION__
using namespace ::metal;
#endif

/// [[buffer(index)]], the same in every kernel. A kernel uses some of them.
enum BufferIndex {
  shape_index = 0,   ///< Shape, by set_bytes
  tokens_index = 1,  ///< Token [M]
  hidden_index = 2,  ///< D [N, H]
  weight_index = 3,  ///< D [V, H]
  bias_index = 4,    ///< D [V]
  states_index = 5,  ///< State [parts, M]
  lse_index = 6,     ///< LogSum [M]
  losses_index = 7,  ///< float [M]
  logits_index = 8,  ///< plain: float [count, chunk] of a row's own entries, chunk after chunk
  sums_index = 9,    ///< float, gradients before they are rounded: [tiles of 32, 32, H rounded up to a multiple of 32];
                     ///< plain: [count, H]
  dhidden_index = 10,  ///< D [N, H]
  dweight_index = 11,  ///< D [V, H]
  dbias_index = 12,    ///< D [V]
};

/// [[function_constant(index)]], each a bool.
enum ConstantIndex {
  has_bias_constant = 0,
  has_softcap_constant = 1,
  has_smoothing_constant = 2,  ///< the sum of all logits is needed too
  with_dweight_constant = 3,
  with_dbias_constant = 4,
  may_skip_constant = 5,  ///< tiles whose coefficients are all at most Shape.skip_below in magnitude are skipped
};

enum Geometry {
  tile_rows = 32,       ///< of the tokens or entries that a threadgroup owns
  tile_columns = 64,    ///< of the entries or tokens that it loops over
  slab = 32,            ///< elements of H at a time
  tile_threads = 128,   ///< four simdgroups
  part_entries = 8192,  ///< entries per threadgroup of forward, a multiple of tile_columns
};

struct Token {
  uint32_t row;     ///< of hidden and dhidden
  uint32_t target;  ///< in [0, V)
  float weight;     ///< of its loss in the reduced loss, times upstream
};

struct Shape {
  uint64_t H;
  uint32_t V;
  uint32_t M;      ///< all tokens that are not ignored
  uint32_t first;  ///< of the tokens or entries of this dispatch
  uint32_t count;
  uint32_t chunk;   ///< plain: entries at a time
  float offset;     ///< subtracted from logits and lse: the largest bias, or 0 if there is a cap
  float cap;        ///< logit_softcap
  float keep;       ///< 1 - eps
  float smoothing;  ///< eps
  float share;      ///< eps / V
  float rest;       ///< eps - eps / V
  float z_loss;     ///< zeta
  float skip_below;
};

/// The log-sum-exp of some of a token's logits x.
///
///   sum_high + sum_low = sum of exp(x_v - shift) over the entries v but the target
///   total_high + total_low = sum of x_v; -inf if one of them is
struct State {
  float shift;  ///< near the largest of them; -inf if all of them are
  float sum_high, sum_low;
  float target;  ///< the logit of the target; -inf if it is not among them
  float total_high, total_low;
};

/// lse - offset = high + low. One float would not be accurate enough if all logits are large.
struct LogSum {
  float high, low;
};

}  // namespace cce
}  // namespace assay
