// Faults of the error contract: a bad argument is silently repaired or used instead of refused.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/ctc/validate.h"
#include "validation/ctc/faults/faults.h"
#include "validation/ctc/faults/plain_kernel.h"

namespace assay::validation {
namespace {

std::vector<std::int64_t> clamped(std::span<const std::int64_t> values, std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> out(values.begin(), values.end());
  for (std::int64_t& value : out) value = std::max(low, std::min(high, value));
  return out;
}

struct LabelClamped final : PlainCtcKernel {
  static constexpr FaultNote note{"label-clamped",
                                  "a label past C-1 is taken as C-1, a negative one as 0: pytorch#191568", "refusals"};
  void run(const Problem& problem, const metal::CtcOutput<float>& out, int threads) const override {
    const auto targets = clamped(problem.targets, 0, problem.C - 1);
    Problem repaired = problem;
    repaired.targets = targets;
    PlainCtcKernel::run(repaired, out, threads);
  }
};

struct BlankAsLabel final : PlainCtcKernel {
  static constexpr FaultNote note{"blank-as-label", "a label equal to blank is computed with: tensorflow#13457",
                                  "refusals"};
  void check(const Problem& problem, const metal::CtcOutput<float>& out) const override {
    std::vector<std::int64_t> targets(problem.targets.begin(), problem.targets.end());
    std::replace(targets.begin(), targets.end(), problem.blank, problem.blank == 0 ? problem.C - 1 : 0);
    Problem checked = problem;
    checked.targets = targets;
    PlainCtcKernel::check(checked, out);
  }
};

struct InputLengthClamped final : PlainCtcKernel {
  static constexpr FaultNote note{"input-length-clamped", "an input length outside [0, T] is brought into it",
                                  "refusals"};
  void run(const Problem& problem, const metal::CtcOutput<float>& out, int threads) const override {
    const auto lengths = clamped(problem.input_lengths, 0, problem.T);
    Problem repaired = problem;
    repaired.input_lengths = lengths;
    PlainCtcKernel::run(repaired, out, threads);
  }
};

struct TargetLengthClamped final : PlainCtcKernel {
  static constexpr FaultNote note{"target-length-clamped", "a target length outside [0, S] is brought into it",
                                  "refusals"};
  void run(const Problem& problem, const metal::CtcOutput<float>& out, int threads) const override {
    if (problem.layout == reference::CtcTargets::concatenated) return PlainCtcKernel::run(problem, out, threads);
    const auto lengths = clamped(problem.target_lengths, 0, problem.S);
    Problem repaired = problem;
    repaired.target_lengths = lengths;
    PlainCtcKernel::run(repaired, out, threads);
  }
};

struct BlankFromTheEnd final : PlainCtcKernel {
  static constexpr FaultNote note{"blank-from-the-end", "blank = -1 means the last class, as Python counts",
                                  "refusals"};
  void run(const Problem& problem, const metal::CtcOutput<float>& out, int threads) const override {
    Problem repaired = problem;
    if (repaired.blank < 0) repaired.blank += repaired.C;
    PlainCtcKernel::run(repaired, out, threads);
  }
};

struct OneUpstreamForAll final : PlainCtcKernel {
  static constexpr FaultNote note{"one-upstream-for-all", "an upstream of [1] is spread over B rows where [B] is due",
                                  "refusals"};
  void run(const Problem& problem, const metal::CtcOutput<float>& out, int threads) const override {
    const bool spread = problem.reduction == reference::Reduction::none && problem.upstream.size() == 1;
    const std::vector<float> upstream(problem.input_lengths.size(), spread ? problem.upstream[0] : 0);
    Problem repaired = problem;
    if (spread) repaired.upstream = upstream;
    PlainCtcKernel::run(repaired, out, threads);
  }
};

struct LossOfAnySize final : PlainCtcKernel {
  static constexpr FaultNote note{"loss-of-any-size", "a loss longer than due is filled in part: pytorch#49046",
                                  "refusals"};
  void check(const Problem& problem, const metal::CtcOutput<float>& out) const override {
    const std::size_t due = problem.reduction == reference::Reduction::none ? problem.input_lengths.size() : 1;
    PlainCtcKernel::check(problem, {out.loss.first(std::min(due, out.loss.size())), out.gradient});
  }
};

struct NanAsZeroProbability final : PlainCtcKernel {
  static constexpr FaultNote note{"nan-as-zero-probability", "a NaN activation compares as smallest and counts as -inf",
                                  "refusals"};
  void run(const Problem& problem, const metal::CtcOutput<float>& out, int threads) const override {
    std::vector<float> activations(problem.activations.begin(), problem.activations.end());
    for (float& a : activations) a = std::isnan(a) ? -std::numeric_limits<float>::infinity() : a;
    Problem repaired = problem;
    repaired.activations = activations;
    PlainCtcKernel::run(repaired, out, threads);
  }
};

struct ActivationsUnchecked final : PlainCtcKernel {
  static constexpr FaultNote note{"activations-unchecked",
                                  "NaN and +inf go through the recursion: a quiet NaN comes out, or a plain number",
                                  "refusals"};
  void check(const Problem& problem, const metal::CtcOutput<float>& out) const override {
    reference::validate(problem);
    const std::vector<float> zeros(problem.activations.size());
    Problem checked = problem;
    checked.activations = zeros;
    PlainCtcKernel::check(checked, out);
  }
};

}  // namespace

std::vector<CtcFault> contract_faults() {
  return plant_all<CtcOperation, LabelClamped, BlankAsLabel, InputLengthClamped, TargetLengthClamped, BlankFromTheEnd,
                   OneUpstreamForAll, LossOfAnySize, NanAsZeroProbability, ActivationsUnchecked>(plain_ctc_kernel());
}

}  // namespace assay::validation
