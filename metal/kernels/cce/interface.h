// The interface between the host and the kernels of linear cross-entropy: buffer indices, function constants, and the
// contents of the buffers. Both compilers read it; reference/cce/problem.h states the problem.
//
// M of the N tokens are not ignored. The host makes a table of these tokens; no kernel reads the rows of any other. D
// is float, half or bfloat.
//
// The production path computes blocks of some tokens and some entries, one after the other, in these dispatches:
//
//   cce_logits_D           scores = hidden weight^T
//   cce_loss_D             lse and loss of the tokens of a block with all entries
//   cce_differentiate_D    dL/dz in place of scores
//   cce_dhidden_D          dhidden of the tokens of a block with all entries
//   cce_dweight_D          dweight, added to that of the blocks before
//   cce_dbias_D            dbias, likewise
//
// and after all blocks
//
//   cce_store_losses       losses to the rows of their tokens, and 0 to those of ignored ones
//   cce_clear_dhidden_D    0 to the rows of ignored tokens in dhidden
//
// The blocks of dweight and dbias have all tokens if D is not float, since a float gradient alone holds such a sum. All
// blocks but the last have a multiple of `slab` tokens, so that the results do not depend on the size of a block.
//
// The plain path, which follows the pseudo-code of plain.h:
//
//   cce_plain_forward_D    a threadgroup per token: lse and loss
//   cce_plain_dhidden_D    a threadgroup per token: dhidden
//   cce_plain_dweight_D    a threadgroup per entry: dweight, dbias
//
// The grid, in threadgroups, where tiles(n) = ceil(n / 64). Simdgroups multiply matrices in logits of half and bfloat, and
// in dhidden and dweight of bfloat: their tiles(n) = ceil(n / 128), but for the tokens of dhidden, and their groups have
// 256 threads.
//
//   logits                 {tiles(tokens), tiles(entries), 1} of 128 threads
//   loss                   {tokens, 1, 1} of 32 to 256 threads, a multiple of 32
//   differentiate          {ceil(entries / 512), tokens, 1} of 128 threads
//   dhidden                {tiles(H), tiles(tokens), 1} of 128 threads
//   dweight                {tiles(H), tiles(entries), 1} of 128 threads
//   dbias                  {ceil(entries / 128), 1, 1} of 128 threads
//   store_losses           {ceil(max(M, ignored) / 32), 1, 1} of 32 threads
//   clear_dhidden          {ignored, 1, 1} of 32 threads
//   plain                  {tokens or entries, 1, 1} of 32 to 1024 threads, a multiple of 32
//
// All blocks use the same memory for scores and sums. A host that has lse already leaves out loss. All buffers are
// bound at every dispatch, except bias if there is none, and gradients that are not wanted.
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
  shape_index = 0,     ///< Shape, by set_bytes
  tokens_index = 1,    ///< Token [M]
  hidden_index = 2,    ///< D [N, H]
  weight_index = 3,    ///< D [V, H]
  bias_index = 4,      ///< D [V]
  scores_index = 5,    ///< float [tokens, entries rounded up to 4]: hidden . weight, then dL/dz; plain: [tokens, chunk]
  lse_index = 6,       ///< LogSum [M]
  losses_index = 7,    ///< float [M]
  sums_index = 8,      ///< plain: float [tokens or entries, H], gradients before they are rounded
  dhidden_index = 9,   ///< D [N, H]
  dweight_index = 10,  ///< D [V, H]
  dbias_index = 11,    ///< D [V]
  ignored_index = 12,  ///< uint32 [ignored] rows of tokens that are ignored
  loss_index = 13,     ///< float [N]
};

/// [[function_constant(index)]], each a bool.
enum ConstantIndex {
  has_bias_constant = 0,
  has_softcap_constant = 1,
  has_smoothing_constant = 2,  ///< the sum of all logits is needed too
  with_dweight_constant = 3,   ///< plain
  with_dbias_constant = 4,     ///< plain
};

enum Geometry {
  tile = 64,              ///< rows and columns of a product that a threadgroup computes
  slab = 32,              ///< of the k of a product at a time
  product_threads = 128,  ///< also of differentiate and dbias
  matrix_tile = 128,      ///< as tile, where simdgroups multiply matrices of 16-bit elements
  matrix_few_rows = 64,   ///< of a tile of dhidden
  matrix_threads = 256,
  matrix_max_threads = 512,  ///< so that the registers do for two groups of a core
  differentiated = 512,      ///< entries of a threadgroup of differentiate
  seen_entries = 16,         ///< of a thread of loss at a time
  max_loss_threads = 256,
};

struct Token {
  uint32_t row;     ///< of hidden and dhidden
  uint32_t target;  ///< in [0, V)
  float weight;     ///< of its loss in the reduced loss, times upstream
};

struct Shape {
  uint64_t H;
  uint32_t V;
  uint32_t M;            ///< all tokens that are not ignored
  uint32_t ignored;      ///< the others
  uint32_t first_token;  ///< of those of this dispatch
  uint32_t tokens;
  uint32_t first_entry;
  uint32_t entries;
  uint32_t chunk;   ///< plain: entries at a time
  float offset;     ///< subtracted from logits and lse: the largest bias, or 0 if there is a cap
  float cap;        ///< logit_softcap
  float keep;       ///< 1 - eps
  float smoothing;  ///< eps
  float share;      ///< eps / V
  float rest;       ///< eps - eps / V
  float z_loss;     ///< zeta
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
