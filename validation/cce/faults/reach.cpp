// Faults of reach: right up to an index, wrong from there on; wrong with some numbers of threads or on some calls.
#include <algorithm>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "validation/cce/faults/faults.h"
#include "validation/cce/operation.h"
#include "validation/core/reach_faults.h"

namespace assay::validation::cce {
namespace {

using Problem = metal::AnyCceProblem;
using Output = metal::AnyCceOutput;
using Floats = std::span<const float>;

/// An index of which a fault leaves out this one alone.
constexpr std::size_t lost = 100'000;

/// Entries from `first` to `end` that are no target get probability 0.
void without_entries(std::size_t first, std::size_t end, const CceKernel& healthy, const Problem& problem,
                     const Output& out, const CceRequest& request) {
  const auto* const given = std::get_if<Floats>(&problem.bias);
  if (given == nullptr || given->empty()) return healthy.run(problem, out, request);
  std::vector<float> bias(given->begin(), given->end());
  for (std::size_t v = first; v < std::min(end, bias.size()); ++v)
    if (std::ranges::find(problem.options.targets, static_cast<std::int64_t>(v)) == problem.options.targets.end())
      bias[v] = -std::numeric_limits<float>::infinity();
  Problem changed = problem;
  changed.bias = Floats(bias);
  healthy.run(changed, out, request);
}

void without_entries_from(std::int64_t first, const CceKernel& healthy, const Problem& problem, const Output& out,
                          const CceRequest& request) {
  without_entries(static_cast<std::size_t>(first), std::numeric_limits<std::size_t>::max(), healthy, problem, out,
                  request);
}

/// The tail of a large vocabulary is left out, as by a loop over whole blocks.
void without_last_entries(const CceKernel& healthy, const Problem& problem, const Output& out,
                          const CceRequest& request) {
  const std::int64_t V = problem.options.V, first = V > 10'000 ? V - 64 : V;
  without_entries_from(first, healthy, problem, out, request);
}

void without_one_entry(const CceKernel& healthy, const Problem& problem, const Output& out, const CceRequest& request) {
  without_entries(lost, lost + 1, healthy, problem, out, request);
}

/// The loss of one token is missing in the sum, or the mean.
void without_one_loss(const CceKernel& healthy, const Problem& problem, const Output& out, const CceRequest& request) {
  healthy.run(problem, out, request);
  std::vector<std::int64_t> targets(problem.options.targets.begin(), problem.options.targets.end());
  if (targets.size() <= lost || problem.options.reduction == Reduction::none) return;
  targets[lost] = problem.options.ignore_index;
  Problem changed = problem;
  changed.options.targets = targets;
  Output loss;
  loss.loss = out.loss;
  healthy.run(changed, loss, request);
}

void without_columns(std::int64_t first, const CceKernel& healthy, const Problem& problem, const Output& out,
                     const CceRequest& request) {
  const auto* const given = std::get_if<Floats>(&problem.hidden);
  if (given == nullptr) return healthy.run(problem, out, request);
  std::vector<float> hidden(given->begin(), given->end());
  for (std::size_t i = 0; i < hidden.size(); ++i)
    if (static_cast<std::int64_t>(i) % problem.options.H >= first) hidden[i] = 0;
  Problem changed = problem;
  changed.hidden = Floats(hidden);
  healthy.run(changed, out, request);
}

void without_tokens(std::int64_t first, const CceKernel& healthy, const Problem& problem, const Output& out,
                    const CceRequest& request) {
  std::vector<std::int64_t> targets(problem.options.targets.begin(), problem.options.targets.end());
  for (auto n = static_cast<std::size_t>(first); n < targets.size(); ++n) targets[n] = problem.options.ignore_index;
  Problem changed = problem;
  changed.options.targets = targets;
  healthy.run(changed, out, request);
}

/// Results of the tokens of which an offset has more than 32 bits, from where the lower bits of the offset point: their
/// losses, or dweight.
void wrapped_offsets(bool of_loss, const CceKernel& healthy, const Problem& problem, const Output& out,
                     const CceRequest& request) {
  healthy.run(problem, out, request);
  const auto* const given = std::get_if<Floats>(&problem.hidden);
  const CceProblem<float>& o = problem.options;
  const std::int64_t first = (std::int64_t{1} << 32) / o.H + 1;
  if (given == nullptr || first >= o.N || o.reduction != Reduction::none) return;
  const auto tokens = static_cast<std::size_t>(o.N - first);
  Problem far = problem;
  far.options.N = o.N - first;
  far.options.targets = o.targets.last(tokens);
  far.hidden = given->subspan(static_cast<std::uint32_t>(first * o.H), tokens * static_cast<std::size_t>(o.H));
  std::vector<float> losses(tokens);
  Output wrapped;
  wrapped.loss = of_loss ? out.loss.last(tokens) : std::span(losses);
  if (!of_loss) wrapped.dweight = out.dweight;
  healthy.run(far, wrapped, request);
}

}  // namespace

std::vector<CceFault> reach_faults() {
  std::vector<CceFault> faults;
  add_zero_results<CceOperation>(faults, {{"loss", 0, 'n', "batch-singles", thresholds_to_2_17},
                                          {"dhidden", 0, 'n', "batch-singles", thresholds_to_2_17},
                                          {"dhidden", 1, 'h', "dhidden", thresholds_to_2_12},
                                          {"dweight", 0, 'v', "dweight", thresholds_to_2_17},
                                          {"dweight", 1, 'h', "dweight", thresholds_to_2_12},
                                          {"dbias", 0, 'v', "dbias", thresholds_to_2_17}});
  add_ignored_inputs<CceOperation>(faults, {{"V", "loss", thresholds_to_2_17, without_entries_from},
                                            {"H", "loss", thresholds_to_2_12, without_columns},
                                            {"N", "batch-singles", thresholds_to_2_17, without_tokens}});
  const Cut<CceOperation> N{"N", "loss", without_tokens}, H{"H", "loss", without_columns},
      V{"V", "loss", without_entries_from};
  add_lost_sizes<CceOperation>(faults, {N, H, V});
  add_lost_pairs<CceOperation>(faults, {{N, "H"}, {V, "N"}, {H, "V"}});
  add_lost_rests<CceOperation>(faults, {{N, "H"}, {H, "V"}, {V, "N"}});
  add_rare_calls<CceOperation>(faults, "loss");
  faults.push_back(
      reach_fault<CceOperation>("mean-of-33-tokens", "the mean is 0 from 33 tokens and entries on", "loss",
                                [](const auto& healthy, const auto& problem, const auto& out, const auto& request) {
                                  healthy.run(problem, out, request);
                                  const auto& o = problem.options;
                                  if (o.reduction == Reduction::mean && o.N >= 33 && o.V >= 33)
                                    zero_from<CceOperation>("loss", 0, 0, problem, out, request);
                                }));
  faults.push_back(reach_fault<CceOperation>(
      "last-64-entries", "of V > 10,000 the last 64 are not in the softmax's sum", "loss", without_last_entries));
  faults.push_back(reach_fault<CceOperation>("entry-left-out", "entry 100,000 is not in the softmax's sum", "loss",
                                             without_one_entry));
  faults.push_back(reach_fault<CceOperation>("token-left-out", "token 100,000 is not in the sum over the batch",
                                             "reductions", without_one_loss));
  for (const bool of_loss : {true, false})
    faults.push_back(far_fault<CceOperation>(
        of_loss ? "offsets-of-32-bits" : "dweight-of-32-bits",
        of_loss ? "an offset past 2^32 wraps: apple/ml-cross-entropy#37" : "the backward pass's offset past 2^32 wraps",
        "far-tokens", [of_loss](const auto& healthy, const auto& problem, const auto& out, const auto& request) {
          wrapped_offsets(of_loss, healthy, problem, out, request);
        }));
  faults.push_back(zero_past_32_bits<CceOperation>("dhidden", "far-tokens"));
  faults.push_back(zero_past_32_bits<CceOperation>("dweight", "far-entries"));
  return faults;
}

}  // namespace assay::validation::cce
