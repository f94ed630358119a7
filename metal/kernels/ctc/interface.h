// The interface between the host and the kernels of CTC: buffer indices, function constants, contents of the buffers.
//
// Both compilers read it. A row is one sequence of the batch. Its classes are numbered by slots: slot 0 is the blank,
// the others are the distinct labels of the row. So tables of a row are as wide as the number of classes that occur in
// it, and not as C.
//
// Kernels of the production path, in the order of their dispatches; D is float, half or bfloat:
//
//   ctc_emissions_D        a simdgroup per frame of at most 256 classes: emissions, normalizers; weight times y into
//                          the gradient
//   ctc_emissions_held_D   the same for more classes: a threadgroup per frame, which keeps C floats, rounded up to a
//                          multiple of four, in [[threadgroup(0)]]
//   ctc_emissions_wide_D   the same for more classes than fit there
//   ctc_recursion_N        a threadgroup per row: alpha, row losses; another one beside it: beta. N states a thread, in
//                          registers (N = 2, 4, 8)
//   ctc_recursion_device   the same for longer rows: the states lie in device memory
//   ctc_gradient_D         a simdgroup per frame: posteriors into the gradient
//   ctc_reduce             one simdgroup: the reduced loss
//
// The plain path, which follows the papers: ctc_plain_log_softmax_D (a simdgroup per frame), ctc_plain_alpha,
// ctc_plain_beta (a threadgroup per row, a thread per state), ctc_plain_gradient_D (a simdgroup per frame), ctc_reduce.
//
// The grid, in threadgroups; x is the row, counted from Shape.first_row:
//
//   emissions, gradient                 {row_count, T / F rounded up, 1} of 32 F threads, F = 1 to 8
//   emissions_held, emissions_wide      {row_count, T, 1} of 256 threads
//   plain_log_softmax, plain_gradient   {row_count, T, 1} of 32 threads
//   recursion_N                         {row_count, 1, 1}, with gradient {row_count, 2, 1}: alpha, beta; of as many
//                                       threads as the longest L needs, in 32s up to 1024: L <= N * threads
//   recursion_device                    the same of 32 to 1024 threads: a kernel loops over states. Long rows take
//                                       several dispatches, of some frames each
//   plain_alpha, plain_beta             {row_count, 1, 1} of 32 to 1024 threads, which loop over states
//   reduce                              {1, 1, 1} of 32 threads; first_row 0, row_count B
//
// Frames are counted up to T, not to the end of the row: ctc_emissions writes the gradient past the end too.
//
// All kernels of the production path that can compute a row give the same bits, for any number of threads. So the other
// rows of a batch do not change a row's result. Which kernel computes emissions must therefore depend on C alone.
//
// All buffers are bound at every dispatch, except gradient and beta in a dispatch without gradient. If T = 0 only
// the recursion and reduce are dispatched, on rows without frames; if B = 0, only reduce. The rows of a batch may be
// computed by several dispatches, one after the other, which use the same memory for emissions, alpha and beta. reduce
// is dispatched only for a sum or a mean. The plain path always keeps all of alpha. beta's states lie in a frame from
// the last one to the first.
//
// Results are accurate if no activation exceeds 2^19 in magnitude and no product of emissions along an alignment is
// outside of 2^(+-2^29). Beyond that exponents saturate: results are finite, but wrong.
#pragma once

#ifdef __METAL_VERSION__
#include <metal_stdlib>
#else
#include <cstdint>
#endif

namespace assay {
namespace ctc {

#ifdef __METAL_VERSION__
using namespace ::metal;
#endif

/// [[buffer(index)]], the same in every kernel. A kernel uses some of them.
enum BufferIndex {
  shape_index = 0,        ///< Shape, by set_bytes
  rows_index = 1,         ///< Row [B]
  activations_index = 2,  ///< D [T, B, C]
  slots_index = 3,        ///< uint32 [all labels] the slot of each label, row after row
  order_index = 4,        ///< uint32 [all labels] positions of a row's labels, sorted by slot, then by position
  ends_index = 5,         ///< uint32 [all classes] where each slot's part of order ends; that of slot 0 at 0
  classes_index = 6,      ///< uint32 [all classes] the class of each slot
  emissions_index = 7,    ///< Scaled, each row [frames, classes]; plain: float ln y [T, B, C]
  normalizers_index = 8,  ///< float [T, B]: y is the emission divided by it
  alpha_index = 9,        ///< Scaled, each row [frames, L + 1]; plain: float ln alpha [frames, L]
  beta_index = 10,        ///< as alpha
  losses_index = 11,      ///< float [B] of each row
  gradient_index = 12,    ///< D [T, B, C]
  result_index = 13,      ///< float [1] the reduced loss
};

/// [[function_constant(index)]], each a bool.
enum ConstantIndex {
  from_logits_constant = 0,    ///< activations are logits, else log-probabilities
  of_logits_constant = 1,      ///< the gradient is with respect to logits, else to log-probabilities
  with_gradient_constant = 2,  ///< else only the loss: at most two frames of alpha are kept, no gradient is written
};

/// The sizes of groups.
enum GroupSize {
  frame_count = 8,      ///< the most frames of ctc_emissions_D and ctc_gradient_D, each of 32 threads
  frame_classes = 256,  ///< the most classes of ctc_emissions_D
  wide_count = 256      ///< the threads of ctc_emissions_held_D and ctc_emissions_wide_D
};

/// A non-negative number: mantissa * 2^exponent. Zero has mantissa 0.
struct alignas(8) Scaled {
  float mantissa;
  int32_t exponent;
};

/// One dispatch computes rows first_row .. first_row + row_count - 1.
struct Shape {
  int64_t T, B, C;
  uint32_t first_row;
  uint32_t row_count;
  uint32_t zero_infinity;  ///< 1: a row without an alignment has loss and gradient 0
  uint32_t first_step;     ///< recursion_device: steps first_step .. first_step + steps - 1 of each row's frames
  uint32_t steps;
  uint32_t is_aligned;  ///< 1: C is a multiple of four, and activations and gradient are aligned to four elements
};

struct Row {
  uint32_t frames;   ///< input_lengths[b]
  uint32_t labels;   ///< target_lengths[b]; L = 2 labels + 1 states
  uint32_t classes;  ///< slots of the row, blank included
  float share;       ///< of the row's loss in the reduced one: 1, or 1 / (B max(labels, 1)) for the mean
  float weight;      ///< share times the upstream gradient
  uint32_t unused;
  uint64_t labels_begin;     ///< in slots and order
  uint64_t classes_begin;    ///< in ends and classes
  uint64_t emissions_begin;  ///< in emissions
  uint64_t alpha_begin;      ///< in alpha
  uint64_t beta_begin;       ///< in beta
};

}  // namespace ctc
}  // namespace assay
