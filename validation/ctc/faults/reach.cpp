// Faults of reach: right up to an index, wrong from there on; wrong with some numbers of threads or on some calls.
#include <algorithm>
#include <limits>
#include <span>
#include <tuple>
#include <variant>
#include <vector>

#include "validation/core/reach_faults.h"
#include "validation/ctc/faults/faults.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

using Problem = metal::AnyCtcProblem;
using Output = metal::AnyCtcOutput;

/// Classes that are neither a label nor the blank get probability 0.
void without_classes(std::int64_t first, const CtcKernel& healthy, const Problem& problem, const Output& out,
                     const CtcRequest& request) {
  const auto* const given = std::get_if<std::span<const float>>(&problem.activations);
  if (given == nullptr) return healthy.run(problem, out, request);
  const auto& [targets, blank, C] = std::tie(problem.options.targets, problem.options.blank, problem.options.C);
  std::vector<bool> is_kept(static_cast<std::size_t>(C), false);
  for (std::int64_t k = 0; k < std::min(first, C); ++k) is_kept[static_cast<std::size_t>(k)] = true;
  for (const std::int64_t k : targets)
    if (k >= 0 && k < C) is_kept[static_cast<std::size_t>(k)] = true;
  is_kept[static_cast<std::size_t>(blank)] = true;
  std::vector<float> activations(given->begin(), given->end());
  for (std::size_t i = 0; i < activations.size(); ++i)
    if (!is_kept[i % is_kept.size()]) activations[i] = -std::numeric_limits<float>::infinity();
  Problem changed = problem;
  changed.activations = std::span<const float>(activations);
  healthy.run(changed, out, request);
}

std::vector<std::int64_t> at_most(std::span<const std::int64_t> lengths, std::int64_t limit) {
  std::vector<std::int64_t> shorter(lengths.begin(), lengths.end());
  for (std::int64_t& length : shorter) length = std::min(length, limit);
  return shorter;
}

void without_frames(std::int64_t first, const CtcKernel& healthy, const Problem& problem, const Output& out,
                    const CtcRequest& request) {
  const auto lengths = at_most(problem.options.input_lengths, first);
  Problem changed = problem;
  changed.options.input_lengths = lengths;
  healthy.run(changed, out, request);
}

void without_labels(std::int64_t first, const CtcKernel& healthy, const Problem& problem, const Output& out,
                    const CtcRequest& request) {
  if (problem.options.layout == CtcTargets::concatenated) return healthy.run(problem, out, request);
  const auto lengths = at_most(problem.options.target_lengths, first);
  Problem changed = problem;
  changed.options.target_lengths = lengths;
  healthy.run(changed, out, request);
}

/// Losses of the rows of which an offset has more than 32 bits, from where the lower bits of the offset point.
void wrapped_offsets(const CtcKernel& healthy, const Problem& problem, const Output& out, const CtcRequest& request) {
  healthy.run(problem, out, request);
  const auto* const given = std::get_if<std::span<const float>>(&problem.activations);
  const CtcProblem<float>& o = problem.options;
  for (std::int64_t b = 0; given != nullptr && b < o.B && o.reduction == Reduction::none; ++b) {
    const auto row = static_cast<std::size_t>(b);
    const std::int64_t last = ((o.input_lengths[row] - 1) * o.B + b) * o.C;
    if (last < std::int64_t{1} << 32) continue;
    std::vector<float> read;
    for (std::int64_t t = 0; t < o.input_lengths[row]; ++t)
      for (std::int64_t k = 0; k < o.C; ++k)
        read.push_back((*given)[static_cast<std::uint32_t>((t * o.B + b) * o.C + k)]);
    Problem one = problem;
    one.options.T = o.input_lengths[row];
    one.options.B = 1;
    one.options.input_lengths = o.input_lengths.subspan(row, 1);
    one.options.target_lengths = o.target_lengths.subspan(row, 1);
    one.options.targets = o.targets.subspan(row * static_cast<std::size_t>(o.S), static_cast<std::size_t>(o.S));
    one.activations = std::span<const float>(read);
    healthy.run(one, {out.loss.subspan(row, 1), std::span<float>()}, request);
  }
}

}  // namespace

std::vector<CtcFault> reach_faults() {
  std::vector<CtcFault> faults;
  add_zero_results<CtcOperation>(faults, {{"loss", 0, 'b', "batch-singles", thresholds_to_2_17},
                                          {"gradient", 0, 't', "gradient", thresholds_to_2_12},
                                          {"gradient", 1, 'b', "batch-singles", thresholds_to_2_17},
                                          {"gradient", 2, 'k', "gradient", thresholds_to_2_17}});
  add_ignored_inputs<CtcOperation>(faults, {{"C", "loss", thresholds_to_2_17, without_classes},
                                            {"T", "loss", thresholds_to_2_12, without_frames},
                                            {"S", "one-path", thresholds_to_2_12, without_labels}});
  const Cut<CtcOperation> T{"T", "loss", without_frames}, C{"C", "loss", without_classes},
      S{"S", "loss", without_labels}, B = cut_result<CtcOperation>("B", "loss", "loss", 0);
  add_lost_sizes<CtcOperation>(faults, {T, B, C, S});
  add_lost_pairs<CtcOperation>(faults, {{T, "B"}, {C, "T"}, {S, "T"}, {B, "C"}, {B, "S"}, {S, "C"}});
  add_lost_rests<CtcOperation>(faults, {{T, "B"}, {C, "T"}, {S, "C"}, {B, "T"}});
  add_rare_calls<CtcOperation>(faults, "loss");
  faults.push_back(reach_fault<CtcOperation>(
      "ragged-rows-from-9", "gradient is 0 from the 9th row on where lengths differ and T is 33 or more", "gradient",
      [](const auto& healthy, const auto& problem, const auto& out, const auto& request) {
        healthy.run(problem, out, request);
        const auto& lengths = problem.options.input_lengths;
        const bool is_ragged = std::ranges::any_of(lengths, [&](auto length) { return length != lengths.front(); });
        if (is_ragged && problem.options.T >= 33) zero_from<CtcOperation>("gradient", 1, 8, problem, out, request);
      }));
  faults.push_back(reach_fault<CtcOperation>(
      "softmax-of-33-classes", "classes past the first 33 are left out of the softmax", "loss",
      [](const auto& healthy, const auto& problem, const auto& out, const auto& request) {
        without_classes(33, healthy, problem, out, request);
      }));
  faults.push_back(far_fault<CtcOperation>("offsets-of-32-bits", "an offset past 2^32 wraps: apple/ml-cross-entropy#37",
                                           "far-rows", wrapped_offsets));
  faults.push_back(zero_past_32_bits<CtcOperation>("gradient", "far-rows"));
  return faults;
}

}  // namespace assay::validation
