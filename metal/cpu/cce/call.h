// The data that the passes of a call share: problem, plan, tokens, and each thread's tiles. Operand is the type of
// the factors of the matrix products: Real, or float where Real cannot be multiplied.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "metal/cpu/cce/elements.h"
#include "metal/cpu/cce/gemm.h"
#include "metal/cpu/cce/plan.h"
#include "metal/cpu/cce/tokens.h"
#include "metal/cpu/memory.h"
#include "metal/cpu/parallel.h"

namespace assay::metal::cpu {

/// One thread's tiles.
template <class Operand>
struct CceTiles {
  AlignedMemory<float> logits;    ///< [tile_rows, chunk]
  AlignedMemory<Operand> G;       ///< the same, where Operand is not float
  AlignedMemory<Operand> hidden;  ///< [tile_rows, H], where it has to be gathered or converted
  AlignedMemory<Operand> weight;  ///< [chunk, H], where it has to be converted
  AlignedMemory<float> dweight;   ///< [chunk, H], where the output is not float
};

template <class Real, class Operand>
class CceCall {
 public:
  static constexpr bool converts = !std::is_same_v<Real, Operand>;
  static constexpr bool narrow = !std::is_same_v<Operand, float>;
  static constexpr bool float_outputs = std::is_same_v<Real, float>;

  CceCall(const reference::CceProblem<Real>& the_problem, const CceGradients<Real>& the_gradients, int threads,
          const CceTuning& tuning, bool knows_lse);

  const reference::CceProblem<Real>& problem;
  CceGradients<Real> gradients;
  std::int64_t N, H, V;
  std::vector<CceToken> tokens;
  CceTerms terms;
  bool few;                        ///< tokens: products.h
  std::vector<float> bias;         ///< [V], relative to the offset; zeros where there is none
  std::vector<double> dbias_sums;  ///< [V], where dbias is wanted
  const CceElements& elements;
  const CceStored<Real>& stored;
  const CceStored<Operand>& operands;
  CcePlan plan;
  std::atomic<bool> finite = true;  ///< whether every logit so far is finite

  std::int64_t M() const { return std::ssize(tokens); }
  bool wants_dhidden() const { return !gradients.dhidden.empty(); }
  bool wants_dweight() const { return !gradients.dweight.empty(); }
  bool wants_dbias() const { return !gradients.dbias.empty(); }
  bool ignores_some() const { return M() < N; }

  CceTiles<Operand>& tiles(std::int64_t part) { return tiles_[static_cast<std::size_t>(part)]; }

  GemmSizes gemm_sizes(Range rows, std::int64_t entries) const {
    return {.R = rows.size(), .C = entries, .H = H, .sparing = plan.threads > 1};
  }

  FewSizes few_sizes(Range rows, Range entries) const {
    return {static_cast<std::size_t>(rows.size()), static_cast<std::size_t>(entries.size()),
            static_cast<std::size_t>(H)};
  }

  /// Row n of hidden, of weight.
  const Real* hidden_row(std::int64_t n) const { return problem.hidden.data() + n * H; }
  const Real* weight_row(std::int64_t v) const { return problem.weight.data() + v * H; }

  void as_operand(Operand* to, const Real* from, std::int64_t count) const {
    if constexpr (converts) {
      stored.to_float(to, from, static_cast<std::size_t>(count));
    } else {
      std::copy_n(from, count, to);
    }
  }

  /// The rows of hidden of these tokens, as factors of a product.
  Matrix<const Operand> hidden(CceTiles<Operand>& own, Range rows) const;
  Matrix<const Operand> weight(CceTiles<Operand>& own, Range entries) const;

  /// Where a group of entries sums dhidden. Group 0 sums in the output, if that is float. Row 0 belongs to the first
  /// token of the block.
  Matrix<float> dhidden_sums(std::int64_t group, std::int64_t block_begin) const;

  /// Calls run(part) once for each part below `parts`, on up to `parts` threads; `run` must not throw.
  template <class Run>
  void on_parts(std::int64_t parts, const Run& run) const;

  /// Calls run(part of rows, part), as above, for work on tokens that is small beside a pass: a thread has some forty
  /// microseconds of it, or the time that it takes to begin would be lost.
  template <class Run>
  void on_tokens(Range rows, const Run& run) const {
    const std::int64_t worthwhile = rows.size() * H / (1 << 16);
    const std::int64_t parts = std::max<std::int64_t>(1, std::min({worthwhile, plan.threads, rows.size()}));
    on_parts(parts, [&](std::int64_t part) { run(part_of(rows, part, parts), part); });
  }

 private:
  /// Copies the rows of hidden of these tokens; the row of token `first` goes to the beginning of `to`.
  void gather(Operand* to, Range rows, std::int64_t first) const {
    for (std::int64_t i = rows.begin; i < rows.end; ++i)
      as_operand(to + (i - first) * H, hidden_row(tokens[static_cast<std::size_t>(i)].n), H);
  }

  std::vector<CceTiles<Operand>> tiles_;
  AlignedMemory<Operand> gathered_;  ///< [M, H]
  AlignedMemory<float> held_sums_;
};

template <class Real, class Operand>
CceCall<Real, Operand>::CceCall(const reference::CceProblem<Real>& the_problem, const CceGradients<Real>& the_gradients,
                                int threads, const CceTuning& tuning, bool knows_lse)
    : problem(the_problem),
      gradients(the_gradients),
      N(problem.N),
      H(problem.H),
      V(problem.V),
      tokens(valid_tokens(problem)),
      few(!narrow && few_tokens(problem.N, tuning)),
      bias(static_cast<std::size_t>(V), 0.0F),
      dbias_sums(the_gradients.dbias.size(), 0.0),
      elements(table_for<CceElements>(tuning.set)),
      stored(table_for<CceStored<Real>>(tuning.set)),
      operands(table_for<CceStored<Operand>>(tuning.set)) {
  const bool capped = problem.logit_softcap > 0 && problem.logit_softcap < std::numeric_limits<double>::infinity();
  terms = {.V = static_cast<double>(V),
           .eps = problem.label_smoothing,
           .zeta = problem.z_loss,
           .cap = capped ? problem.logit_softcap : 0.0};
  if (!capped && !problem.bias.empty()) terms.offset = *std::max_element(problem.bias.begin(), problem.bias.end());
  for (std::size_t v = 0; v < problem.bias.size(); ++v)
    bias[v] = static_cast<float>(static_cast<double>(problem.bias[v]) - terms.offset);
  // Rows that have to be gathered or converted: all at once where there is room, else again for each tile.
  const std::int64_t gathered = converts || ignores_some() ? M() * H * static_cast<std::int64_t>(sizeof(Operand)) : 0;
  const std::int64_t workers = cce_threads(threads, {.M = M(), .H = H, .V = V});
  CceTuning rest = tuning;
  if (rest.budget == 0) rest.budget = cce_budget(workers);
  const bool at_once = gathered <= rest.budget / 4;
  if (at_once) rest.budget -= gathered;
  if (few) rest.chunk = few_tokens_chunk(H * static_cast<std::int64_t>(sizeof(Real)), tuning);
  // Exponentials of float16 arrays are floats.
  constexpr std::int64_t real = sizeof(Real), operand = sizeof(Operand);
  const bool dweight_holds_operands =
      !few && reinterpret_cast<std::uintptr_t>(gradients.dweight.data()) % alignof(Operand) == 0;
  const CceNeeds needs = {.M = M(),
                          .H = H,
                          .V = V,
                          .operand = operand,
                          .copies_hidden = !at_once,
                          .copies_weight = converts && !few,
                          .float_outputs = float_outputs,
                          .sums_dweight = !float_outputs && !few,
                          .rows_in_dweight = dweight_holds_operands ? H * real / operand : 0,
                          .divides_tokens = !knows_lse && (terms.eps == 0.0 || terms.cap == 0.0),
                          .dhidden = wants_dhidden(),
                          .dweight = wants_dweight(),
                          .dbias = wants_dbias()};
  plan = plan_cce(needs, workers, rest);
  const std::int64_t tile = plan.tile_rows * plan.chunk;
  for (std::int64_t part = 0; part < plan.threads; ++part)
    tiles_.push_back({AlignedMemory<float>(tile), AlignedMemory<Operand>(narrow ? tile : 0),
                      AlignedMemory<Operand>(needs.copies_hidden ? plan.tile_rows * H : 0),
                      AlignedMemory<Operand>(needs.copies_weight ? plan.chunk * H : 0),
                      AlignedMemory<float>(needs.sums_dweight && wants_dweight() ? plan.chunk * H : 0)});
  if (at_once && gathered > 0) {
    gathered_ = AlignedMemory<Operand>(M() * H);
    on_tokens({0, M()}, [&](Range rows, std::int64_t) { gather(gathered_.data() + rows.begin * H, rows, rows.begin); });
  }
  held_sums_ = AlignedMemory<float>(plan.held_sums * std::min(plan.block_rows, M()) * H);
}

template <class Real, class Operand>
Matrix<const Operand> CceCall<Real, Operand>::hidden(CceTiles<Operand>& own, Range rows) const {
  if constexpr (!converts) {
    if (!ignores_some()) return {hidden_row(rows.begin), H};
  }
  if (gathered_.data() != nullptr) return {gathered_.data() + rows.begin * H, H};
  gather(own.hidden.data(), rows, rows.begin);
  return {own.hidden.data(), H};
}

template <class Real, class Operand>
Matrix<const Operand> CceCall<Real, Operand>::weight(CceTiles<Operand>& own, Range entries) const {
  if constexpr (!converts) return {weight_row(entries.begin), H};
  as_operand(own.weight.data(), weight_row(entries.begin), entries.size() * H);
  return {own.weight.data(), H};
}

template <class Real, class Operand>
Matrix<float> CceCall<Real, Operand>::dhidden_sums(std::int64_t group, std::int64_t block_begin) const {
  if constexpr (float_outputs) {
    if (group == 0) return {gradients.dhidden.data() + block_begin * H, H};
  }
  const std::int64_t held = group - (float_outputs ? 1 : 0);
  return {held_sums_.data() + held * std::min(plan.block_rows, M()) * H, H};
}

template <class Real, class Operand>
template <class Run>
void CceCall<Real, Operand>::on_parts(std::int64_t parts, const Run& run) const {
  const auto count = static_cast<std::size_t>(parts);
  for_each_piece(count, count, [&](std::size_t, std::size_t part) { run(static_cast<std::int64_t>(part)); });
}

}  // namespace assay::metal::cpu
