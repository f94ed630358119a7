// The first pass over a block of tokens computes each logit and from it
//
//   sums                        of each token, for lse and loss
//   E_nv = exp(x_nv - reference_n) d_nv, v != t_n      kept for dweight where there is memory for it
//   acc_n = sum_v E_nv w_v      for dhidden, which is that times a number known once lse is
//
// The target's own exponential stays apart: sums are over the other entries, so that 1 - p_t, and with it the gradient
// of a token that is nearly certain, is as accurate as the exponentials of those entries.
#pragma once

#include <span>
#include <vector>

#include "metal/cpu/cce/products.h"
#include "metal/cpu/cce/tile.h"

namespace assay::metal::cpu {

/// A logit further above its reference would bring its exponential near the end of the range of floats.
inline constexpr float max_above_reference = 60.0F;

/// The exponentials of a block of tokens, one chunk of entries after the other. The first rows lie in the output
/// dweight, which is written when they have been read.
template <class Operand>
struct StoredExponentials {
  Range rows;
  std::int64_t in_dweight = 0;   ///< rows
  std::byte* dweight = nullptr;  ///< [V, row_bytes]
  Operand* memory = nullptr;     ///< [chunks, rows - in_dweight, chunk]
  std::int64_t row_bytes = 0;

  /// The first exponential of a row for these entries.
  Operand* at(Range entries, std::int64_t row) const {
    if (row - rows.begin < in_dweight) {
      auto* const chunk = reinterpret_cast<Operand*>(dweight + entries.begin * row_bytes);
      return chunk + (row - rows.begin) * entries.size();
    }
    const std::int64_t in_memory = rows.size() - in_dweight;
    return memory + entries.begin * in_memory + (row - rows.begin - in_dweight) * entries.size();
  }
};

/// The results that are wanted from the first pass.
template <class Operand>
struct FirstPass {
  Range rows;
  bool dhidden = false;
  const StoredExponentials<Operand>* stored = nullptr;
};

/// The sums of a block's tokens, [vocab_groups, rows].
class BlockSums {
 public:
  BlockSums(std::int64_t groups, Range rows)
      : groups_(groups), rows_(rows), sums_(static_cast<std::size_t>(groups * rows.size())) {}

  CceSums& of(std::int64_t group, std::int64_t row) {
    return sums_[static_cast<std::size_t>(group * rows_.size() + row - rows_.begin)];
  }

  CceSums merged(std::int64_t row) {
    CceSums all;
    for (std::int64_t group = 0; group < groups_; ++group) merge(all, of(group, row));
    return all;
  }

 private:
  std::int64_t groups_;
  Range rows_;
  std::vector<CceSums> sums_;
};

template <class Real, class Operand>
void first_pass_of_tile(CceCall<Real, Operand>& call, const FirstPass<Operand>& pass, Range rows,
                        const CceProducts<Real, Operand>& products, std::int64_t group, CceTiles<Operand>& own,
                        BlockSums& sums, Sum onward) {
  const Range entries = products.entries();
  products.logits(rows);
  CceRow row = {.cap = static_cast<float>(call.terms.cap),
                .keep = pass.dhidden || pass.stored != nullptr,
                .with_logits = call.terms.eps != 0.0};
  const Matrix<const Operand> E = operand_tile(own, entries);
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    const CceToken& token = call.tokens[static_cast<std::size_t>(i)];
    row.reference = token.reference;
    merge(sums.of(group, i), row_without_target(call.elements, own.logits.data() + (i - rows.begin) * entries.size(),
                                                call.bias.data() + entries.begin, entries, token, row, 0.0F));
    if (row.keep) narrow_row(call.elements, own, entries, i - rows.begin);
    if (pass.stored != nullptr)
      call.elements.stream(pass.stored->at(entries, i), E.data + (i - rows.begin) * E.stride,
                           static_cast<std::size_t>(entries.size()) * sizeof(Operand));
  }
  if (!pass.dhidden) return;
  Matrix<float> acc = call.dhidden_sums(group, pass.rows.begin);
  acc.data += (rows.begin - pass.rows.begin) * acc.stride;
  products.add_dhidden(rows, E, acc, onward);
}

/// Computes the sums relative to the current references of the tokens.
template <class Real, class Operand>
void first_pass_once(CceCall<Real, Operand>& call, const FirstPass<Operand>& pass, BlockSums& sums) {
  const CcePlan& plan = call.plan;
  call.on_parts(plan.row_groups * plan.vocab_groups, [&](std::int64_t part) {
    const std::int64_t group = part / plan.row_groups;
    const Range rows = part_of(pass.rows, part % plan.row_groups, plan.row_groups);
    const Range chunks = part_of({0, plan.chunks}, group, plan.vocab_groups);
    CceTiles<Operand>& own = call.tiles(part);
    for (std::int64_t i = rows.begin; i < rows.end; ++i) sums.of(group, i) = {};
    for (std::int64_t chunk = chunks.begin; chunk < chunks.end; ++chunk) {
      const CceProducts<Real, Operand> products(call, own, plan.entries(chunk, call.V));
      for_each_tile(rows, plan.tile_rows, [&](Range tile) {
        first_pass_of_tile(call, pass, tile, products, group, own, sums,
                           chunk == chunks.begin ? Sum::fresh : Sum::onward);
      });
    }
  });
}

/// Whether some token's largest logit is too far above its reference. That logit becomes the new reference.
template <class Real, class Operand>
bool raise_references(CceCall<Real, Operand>& call, Range rows, BlockSums& sums) {
  bool raised = false;
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    const CceSums all = sums.merged(i);
    if (!all.finite) call.finite = false;
    if (all.largest <= max_above_reference) continue;
    call.tokens[static_cast<std::size_t>(i)].reference += all.largest;
    raised = true;
  }
  return raised;
}

/// Runs the first pass: sets lse and loss of the tokens of the block and computes the sums for dhidden and the
/// exponentials that are wanted.
template <class Real, class Operand>
void first_pass(CceCall<Real, Operand>& call, const FirstPass<Operand>& pass) {
  BlockSums sums(call.plan.vocab_groups, pass.rows);
  first_pass_once(call, pass, sums);
  if (raise_references(call, pass.rows, sums) && call.finite) first_pass_once(call, pass, sums);
  for (std::int64_t i = pass.rows.begin; i < pass.rows.end; ++i)
    finish_loss(call.tokens[static_cast<std::size_t>(i)], sums.merged(i), call.terms);
}

}  // namespace assay::metal::cpu
