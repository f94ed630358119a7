// The order of the passes of cce_loss, cce_forward and cce_backward, for one type of arrays and of operands.
#pragma once

#include <span>
#include <vector>

#include "metal/cpu/cce/finish.h"
#include "metal/cpu/cce/reference_points.h"
#include "metal/cpu/cce/second_pass.h"
#include "reference/cce/validate.h"

namespace assay::metal::cpu {

/// A stored block of fewer tokens would read all of weight for little gain; their logits are computed again instead.
inline constexpr std::int64_t min_stored_rows = 192;

template <class Real, class Operand>
class CceRun {
 public:
  using Call = CceCall<Real, Operand>;

  explicit CceRun(Call& call) : call_(call) {}

  void loss_and_gradients() {
    if (!begin()) return;
    find_references(call_);
    // The first pass cannot give dhidden where label smoothing and softcap are combined: each entry then has its own
    // slope in the term without exponential.
    const bool in_first_pass = call_.terms.eps == 0.0 || call_.terms.cap == 0.0;
    if (in_first_pass && call_.terms.eps != 0.0 && call_.wants_dhidden()) weight_sums_ = weight_sums(call_);
    std::int64_t done = 0;
    while (in_first_pass && stored_rows(done) > 0) done = stored_block({done, done + stored_rows(done)});
    const Range again = {done, call_.M()};
    while (done < call_.M())
      done = unstored_block({done, std::min(done + call_.plan.block_rows, call_.M())}, in_first_pass);
    gradients_again(again, call_.wants_dhidden() && !in_first_pass);
    place_dhidden(call_);
  }

  void losses() {
    if (!begin()) return;
    find_references(call_);
    first_pass<Real, Operand>(call_, {.rows = {0, call_.M()}});
    check();
  }

  void gradients(std::span<const double> log_sum_exp) {
    if (!begin()) return;
    for (CceToken& token : call_.tokens) {
      find_target_logit(call_, token);
      token.lse = log_sum_exp[static_cast<std::size_t>(token.n)] - call_.terms.offset;
      token.others = -std::expm1(token.target_logit - token.lse);
    }
    gradients_again({0, call_.M()}, call_.wants_dhidden());
    check();
    place_dhidden(call_);
  }

 private:
  /// Returns false where all tokens are ignored, after setting the gradients to 0.
  bool begin() {
    if (call_.M() > 0) return true;
    reference::validate_values(call_.problem);
    std::ranges::fill(call_.gradients.dhidden, Real(0.0F));
    std::ranges::fill(call_.gradients.dweight, Real(0.0F));
    std::ranges::fill(call_.gradients.dbias, Real(0.0F));
    return false;
  }

  /// Throws where an input made a logit infinite or NaN. With finite inputs the logits overflowed, which is allowed.
  void check() {
    if (!call_.finite && !checked_) reference::validate_values(call_.problem);
    checked_ = !call_.finite;
  }

  CceToken& token(std::int64_t i) { return call_.tokens[static_cast<std::size_t>(i)]; }
  bool wants_sums_over_tokens() const { return call_.wants_dweight() || call_.wants_dbias(); }

  /// How many tokens from `begin` on have their exponentials stored. The first block has room in dweight as well; later
  /// blocks only have the memory of the call. The first block takes the remainder, so that no block has few tokens.
  std::int64_t stored_rows(std::int64_t begin) const {
    const std::int64_t rest = call_.M() - begin, max_rows = call_.plan.block_rows;
    const std::int64_t later = std::min(call_.plan.rows_in_memory, max_rows);
    const std::int64_t max_now =
        begin == 0 ? std::min(call_.plan.rows_in_dweight + call_.plan.rows_in_memory, max_rows) : later;
    if (!wants_sums_over_tokens() || max_now < std::min(rest, min_stored_rows)) return 0;
    if (!Call::float_outputs) return begin == 0 ? std::min(rest, max_now) : 0;
    if (rest <= max_now) return rest;
    if (later < min_stored_rows) return begin == 0 ? max_now : 0;
    const std::int64_t blocks = (begin == 0 ? 1 + (rest - max_now + later - 1) / later : (rest + later - 1) / later);
    const std::int64_t even = (rest + blocks - 1) / blocks;
    return begin == 0 ? std::max(even, rest - (blocks - 1) * later) : even;
  }

  /// Returns the end of the block.
  std::int64_t stored_block(Range rows) {
    const std::int64_t in_dweight = rows.begin == 0 ? std::min(call_.plan.rows_in_dweight, rows.size()) : 0;
    if (memory_.data() == nullptr && in_dweight < rows.size())
      memory_ = AlignedMemory<Operand>(call_.plan.rows_in_memory * call_.V, AtEnd::keep);
    stored_ = {.rows = rows,
               .in_dweight = in_dweight,
               .dweight = std::as_writable_bytes(call_.gradients.dweight).data(),
               .memory = memory_.data(),
               .row_bytes = call_.H * std::int64_t{sizeof(Real)}};
    first_pass<Real, Operand>(call_, {.rows = rows, .dhidden = call_.wants_dhidden(), .stored = &stored_});
    check();
    for (std::int64_t i = rows.begin; i < rows.end; ++i) prepare_gradient(token(i), token(i).reference, call_.terms);
    if (call_.wants_dhidden()) FinishDhidden<Real, Operand>(call_, rows, true, weight_sums_).run();
    if (Call::float_outputs || rows.end == call_.M()) sum_over_tokens({rows.end, rows.end}, rows.begin == 0);
    return rows.end;
  }

  /// Computes dweight and dbias, from stored exponentials where there are any and from logits computed again for the
  /// tokens in `again`.
  void sum_over_tokens(Range again, bool fresh) {
    if (!wants_sums_over_tokens()) return;
    second_pass<Real, Operand>(call_, {.stored = stored_.rows.size() > 0 ? &stored_ : nullptr,
                                       .again = again,
                                       .dweight = call_.wants_dweight(),
                                       .sum = fresh ? Sum::fresh : Sum::onward});
    stored_ = {};
  }

  std::int64_t unstored_block(Range rows, bool dhidden) {
    dhidden = dhidden && call_.wants_dhidden();
    first_pass<Real, Operand>(call_, {.rows = rows, .dhidden = dhidden});
    check();
    if (!dhidden) return rows.end;
    for (std::int64_t i = rows.begin; i < rows.end; ++i) prepare_gradient(token(i), token(i).reference, call_.terms);
    FinishDhidden<Real, Operand>(call_, rows, true, weight_sums_).run();
    return rows.end;
  }

  /// Computes the gradients of tokens whose lse is known, from logits computed again. A sum over tokens must be
  /// complete before it is rounded to 16 bits, so with more than one block of tokens dhidden has a pass of its own.
  void gradients_again(Range rows, bool dhidden) {
    if (rows.size() == 0 || (!dhidden && !wants_sums_over_tokens())) return;
    for (std::int64_t i = rows.begin; i < rows.end; ++i)
      prepare_gradient(token(i), static_cast<float>(token(i).lse), call_.terms);
    const bool together = dhidden && (Call::float_outputs || rows.size() <= call_.plan.block_rows);
    Sum sum = sum_of(rows);
    for (std::int64_t done = rows.begin; dhidden && done < rows.end;) {
      const Range some = {done, std::min(done + call_.plan.block_rows, rows.end)};
      second_pass<Real, Operand>(call_, {.again = some,
                                         .dhidden = true,
                                         .dweight = together && call_.wants_dweight(),
                                         .dbias = together,
                                         .sum = sum});
      FinishDhidden<Real, Operand>(call_, some, false, {}).run();
      done = some.end;
      sum = Sum::onward;
    }
    if (!together) sum_over_tokens(rows, stored_.rows.size() > 0 || rows.begin == 0);
  }

  static Sum sum_of(Range rows) { return rows.begin == 0 ? Sum::fresh : Sum::onward; }

  Call& call_;
  std::vector<double> weight_sums_;
  StoredExponentials<Operand> stored_;
  AlignedMemory<Operand> memory_;
  bool checked_ = false;
};

}  // namespace assay::metal::cpu
