// The second pass: dL/dz of a tile, from the exponentials that were kept or from logits computed again, and with it
//
//   dweight = (dL/dz)^T hidden    dbias = sum_n dL/dz    and, where the first pass did not, dhidden = dL/dz weight
#pragma once

#include <span>

#include "metal/cpu/cce/exponentials.h"

namespace assay::metal::cpu {

template <class Operand>
struct SecondPass {
  const StoredExponentials<Operand>* stored = nullptr;  ///< the tokens whose exponentials were kept
  Range again;                                          ///< the tokens whose logits are computed again
  bool dhidden = false;                                 ///< whether to compute dhidden for the tokens of `again`
  bool dweight = false;
  bool dbias = true;     ///< if the caller wants dbias
  Sum sum = Sum::fresh;  ///< whether dweight is added to the sum over earlier tokens
};

/// One thread's share of a second pass.
template <class Real, class Operand>
class SecondPassOfChunk {
 public:
  using Call = CceCall<Real, Operand>;

  SecondPassOfChunk(Call& call, const SecondPass<Operand>& pass, Range entries, std::int64_t group, Sum onward,
                    CceTiles<Operand>& own)
      : call_(call), pass_(pass), entries_(entries), group_(group), onward_(onward), own_(own), sum_(pass.sum) {
    if constexpr (!Call::float_outputs) dweight_ = own.dweight.data();
    if constexpr (Call::float_outputs)
      if (pass.dweight) dweight_ = call.gradients.dweight.data() + entries.begin * call.H;
    if (call.wants_dbias() && pass.dbias)
      dbias_ = {call.dbias_sums.data() + entries.begin, static_cast<std::size_t>(entries.size())};
  }

  void run() {
    if (pass_.stored != nullptr)
      for_each_tile(pass_.stored->rows, call_.plan.tile_rows, [&](Range rows) { stored_tile(rows); });
    if (pass_.again.size() > 0) {
      const CceProducts<Real, Operand> products(call_, own_, entries_);
      for_each_tile(pass_.again, call_.plan.tile_rows, [&](Range rows) { tile_again(rows, products); });
    }
    write();
  }

 private:
  const CceToken& token(std::int64_t i) const { return call_.tokens[static_cast<std::size_t>(i)]; }
  float* row(Range rows, std::int64_t i) const { return own_.logits.data() + (i - rows.begin) * entries_.size(); }

  void stored_tile(Range rows) {
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      if (Call::narrow && dbias_.empty() && token(i).shift == 0.0) {
        scale_narrow(rows, i);
      } else {
        scale(rows, i);
      }
    }
    use(rows, nullptr);
  }

  void scale(Range rows, std::int64_t i) {
    const Operand* E = pass_.stored->at(entries_, i);
    float* G = row(rows, i);
    const auto n = static_cast<std::size_t>(entries_.size());
    if constexpr (Call::narrow) {
      call_.operands.to_float(G, E, n);
      call_.elements.scale(G, G, n, token(i).scale, token(i).shift);
    } else {
      call_.elements.scale(G, E, n, token(i).scale, token(i).shift);
    }
    if (has_target(i)) G[token(i).target - entries_.begin] = static_cast<float>(token(i).target_gradient);
    narrow_row(call_.elements, own_, entries_, i - rows.begin);
  }

  /// As above, for callers that do not need the float result.
  void scale_narrow(Range rows, std::int64_t i) {
    if constexpr (Call::narrow) {
      Operand* G = own_.G.data() + (i - rows.begin) * entries_.size();
      call_.elements.scale_narrow(G, pass_.stored->at(entries_, i), static_cast<std::size_t>(entries_.size()),
                                  static_cast<float>(token(i).scale));
      if (has_target(i)) G[token(i).target - entries_.begin] = Operand(token(i).target_gradient);
    }
  }

  bool has_target(std::int64_t i) const { return token(i).target >= entries_.begin && token(i).target < entries_.end; }

  void tile_again(Range rows, const CceProducts<Real, Operand>& products) {
    products.logits(rows);
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      const CceRow numbers = {.reference = token(i).reference,
                              .scale = static_cast<float>(token(i).scale),
                              .shift = static_cast<float>(token(i).shift),
                              .cap = static_cast<float>(call_.terms.cap),
                              .keep = true};
      const CceSums sums =
          row_without_target(call_.elements, row(rows, i), call_.bias.data() + entries_.begin, entries_, token(i),
                             numbers, static_cast<float>(token(i).target_gradient));
      if (!sums.finite) call_.finite = false;
      narrow_row(call_.elements, own_, entries_, i - rows.begin);
    }
    use(rows, &products);
  }

  /// Adds the contribution of the tile of dL/dz to the gradients.
  void use(Range rows, const CceProducts<Real, Operand>* products) {
    for (std::int64_t i = rows.begin; i < rows.end && !dbias_.empty(); ++i)
      call_.elements.add(dbias_.data(), row(rows, i), dbias_.size());
    if (!pass_.dweight && !pass_.dhidden) return;
    const Matrix<const Operand> G = operand_tile(own_, entries_);
    if (pass_.dweight && call_.few) {
      few_dweight(rows, G);
    } else if (pass_.dweight && rounds_at_once(rows)) {
      round_dweight(rows, G);
    } else if (pass_.dweight) {
      gemm_dweight(call_.gemm_sizes(rows, entries_.size()), G, call_.hidden(own_, rows), {dweight_, call_.H}, sum_);
      sum_ = Sum::onward;
    }
    if (pass_.dhidden && products != nullptr) {
      Matrix<float> acc = call_.dhidden_sums(group_, pass_.again.begin);
      acc.data += (rows.begin - pass_.again.begin) * acc.stride;
      products->add_dhidden(rows, G, acc, onward_);
    }
  }

  /// All tokens are in this tile.
  void few_dweight(Range rows, Matrix<const Operand> G) {
    if constexpr (!Call::narrow)
      call_.stored.few_dweight(dweight_row(0), call_.few_sizes(rows, entries_), G.data, call_.hidden(own_, rows).data,
                               passes_caches());
    is_rounded_ = true;
  }

  Real* dweight_row(std::int64_t entry) const {
    return call_.gradients.dweight.data() + (entries_.begin + entry) * call_.H;
  }

  /// Whether dweight is larger than the caches.
  bool passes_caches() const { return call_.gradients.dweight.size_bytes() >= std::size_t{4} << 20; }

  /// Writes the sums of `count` entries, from this one on.
  void round(std::int64_t entry, std::int64_t count) {
    const auto n = static_cast<std::size_t>(count * call_.H);
    if (passes_caches()) {
      call_.stored.round_past_caches(dweight_row(entry), dweight_, n);
    } else {
      call_.stored.round(dweight_row(entry), dweight_, n, 1.0, 0.0, nullptr);
    }
  }

  /// Few tokens leave dweight to memory, so that it is rounded while it is still in the first caches.
  bool rounds_at_once(Range rows) const {
    constexpr std::int64_t max_rows = 64;
    const std::int64_t kept = pass_.stored != nullptr ? pass_.stored->rows.size() : 0;
    return !Call::float_outputs && sum_ == Sum::fresh && kept + pass_.again.size() == rows.size() &&
           rows.size() <= max_rows;
  }

  void round_dweight(Range rows, Matrix<const Operand> G) {
    constexpr std::int64_t each = 64;
    for (std::int64_t e = 0; e < entries_.size(); e += each) {
      const std::int64_t count = std::min(each, entries_.size() - e);
      gemm_dweight(call_.gemm_sizes(rows, count), {G.data + e, G.stride}, call_.hidden(own_, rows), {dweight_, call_.H},
                   Sum::fresh);
      round(e, count);
    }
    is_rounded_ = true;
  }

  void write() {
    if (!Call::float_outputs && pass_.dweight && !is_rounded_) round(0, entries_.size());
    for (std::size_t j = 0; j < dbias_.size(); ++j)
      call_.gradients.dbias[static_cast<std::size_t>(entries_.begin) + j] = rounded<Real>(dbias_[j]);
  }

  Call& call_;
  const SecondPass<Operand>& pass_;
  Range entries_;
  std::int64_t group_;
  Sum onward_;
  CceTiles<Operand>& own_;
  Sum sum_;
  bool is_rounded_ = false;
  float* dweight_ = nullptr;
  std::span<double> dbias_;
};

template <class Real, class Operand>
void second_pass(CceCall<Real, Operand>& call, const SecondPass<Operand>& pass) {
  const CcePlan& plan = call.plan;
  const std::int64_t groups = pass.dhidden ? plan.vocab_groups : std::min(plan.threads, plan.chunks);
  call.on_parts(groups, [&](std::int64_t group) {
    const Range chunks = part_of({0, plan.chunks}, group, groups);
    for (std::int64_t chunk = chunks.begin; chunk < chunks.end; ++chunk) {
      const Sum onward = chunk == chunks.begin ? Sum::fresh : Sum::onward;
      SecondPassOfChunk<Real, Operand>(call, pass, plan.entries(chunk, call.V), group, onward, call.tiles(group)).run();
    }
  });
}

}  // namespace assay::metal::cpu
