// Faults of lengths and offsets: frames and labels of another row, or past the end of a row.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "validation/core/index.h"
#include "validation/ctc/faults/faults.h"
#include "validation/ctc/faults/plain_kernel.h"

namespace assay::validation {
namespace {

std::size_t neighbour(const reference::CtcProblem<float>& problem, std::int64_t b) {
  return index((b + 1) % problem.B);
}

/// `length` targets from `begin`. An invalid label is clamped to [0, C), so that no fault reads out of bounds.
std::vector<std::int64_t> read_targets(const reference::CtcProblem<float>& problem, std::size_t begin,
                                       std::size_t length) {
  const auto size = problem.targets.size();
  const auto rest = problem.targets.subspan(std::min(begin, size));
  const auto read = rest.first(std::min(length, rest.size()));
  std::vector<std::int64_t> labels(read.begin(), read.end());
  for (std::int64_t& label : labels) label = std::clamp<std::int64_t>(label, 0, problem.C - 1);
  return labels;
}

struct LongestInputLength final : PlainCtcKernel {
  static constexpr FaultNote note{"longest-input-length", "every row is taken to have all T frames", "padding"};
  std::int64_t frames(const Problem& problem, std::int64_t) const override { return problem.T; }
};

struct NeighboursInputLength final : PlainCtcKernel {
  static constexpr FaultNote note{"neighbours-input-length", "input_lengths[b+1]: batch index off by one",
                                  "batch-singles"};
  std::int64_t frames(const Problem& problem, std::int64_t b) const override {
    return problem.input_lengths[neighbour(problem, b)];
  }
};

struct BetaOfNeighboursLength final : PlainCtcKernel {
  static constexpr FaultNote note{
      "beta-of-neighbours-length",
      "beta starts at another row's last frame: the gradient near a row's end is wrong when "
      "lengths vary, as in pytorch#14401",
      "batch-singles"};
  void backward(Row& row) const override {
    const std::int64_t frames = row.frames;
    row.frames = std::min(frames, row.problem.input_lengths[neighbour(row.problem, row.b)]);
    PlainCtcKernel::backward(row);
    row.frames = frames;
  }
};

struct FirstTargetLength final : PlainCtcKernel {
  static constexpr FaultNote note{"first-target-length", "target_lengths[0] for every row", "batch-singles"};
  Labels labels(const Problem& problem, std::int64_t b) const override {
    const auto lengths = problem.target_lengths;
    const auto before = std::accumulate(lengths.begin(), lengths.begin() + b, std::int64_t{0});
    const bool padded = problem.layout == reference::CtcTargets::padded;
    return read_targets(problem, index(padded ? b * problem.S : before), index(lengths[0]));
  }
};

struct LabelsUntilPadding final : PlainCtcKernel {
  static constexpr FaultNote note{"labels-until-padding",
                                  "a padded row's labels are counted up to the first -1, whatever its target length",
                                  "padding"};
  Labels labels(const Problem& problem, std::int64_t b) const override {
    if (problem.layout == reference::CtcTargets::concatenated) return PlainCtcKernel::labels(problem, b);
    const auto row = problem.targets.subspan(index(b * problem.S), index(problem.S));
    const auto end = std::find(row.begin(), row.end(), -1);
    return read_targets(problem, index(b * problem.S), index(end - row.begin()));
  }
};

struct PaddedStrideWhenConcatenated final : PlainCtcKernel {
  static constexpr FaultNote note{"padded-stride-when-concatenated",
                                  "row b of concatenated targets is sought at b times the longest target", "layout"};
  Labels labels(const Problem& problem, std::int64_t b) const override {
    if (problem.layout == reference::CtcTargets::padded) return PlainCtcKernel::labels(problem, b);
    const auto lengths = problem.target_lengths;
    const std::int64_t stride = *std::max_element(lengths.begin(), lengths.end());
    return read_targets(problem, index(b * stride), index(lengths[index(b)]));
  }
};

struct ConcatenatedWhenPadded final : PlainCtcKernel {
  static constexpr FaultNote note{"concatenated-when-padded",
                                  "padded targets are read as concatenated ones: offsets without the padding",
                                  "layout"};
  Labels labels(const Problem& problem, std::int64_t b) const override {
    const auto lengths = problem.target_lengths;
    const auto before = std::accumulate(lengths.begin(), lengths.begin() + b, std::int64_t{0});
    return read_targets(problem, index(before), index(lengths[index(b)]));
  }
};

struct LabelLimit final : PlainCtcKernel {
  static constexpr FaultNote note{"label-limit",
                                  "labels past the 31st are ignored: 64 states fit, and more is no error, as with the "
                                  "limit of baidu-research/warp-ctc#131",
                                  "loss"};
  Labels labels(const Problem& problem, std::int64_t b) const override {
    Labels all = PlainCtcKernel::labels(problem, b);
    all.resize(std::min<std::size_t>(all.size(), 31));
    return all;
  }
};

struct NoFramesReadsOne final : PlainCtcKernel {
  static constexpr FaultNote note{"no-frames-reads-one", "a row of no frames is given its frame 0: pytorch#81459",
                                  "empty"};
  std::int64_t frames(const Problem& problem, std::int64_t b) const override {
    return std::min(problem.T, std::max<std::int64_t>(1, PlainCtcKernel::frames(problem, b)));
  }
};

struct SoftmaxPastLength final : PlainCtcKernel {
  static constexpr FaultNote note{"softmax-past-length",
                                  "frames past the input length keep y as their gradient: tensorflow#41280",
                                  "zero-past-length"};
  void gradient_past_length(const Row& row, std::int64_t t, std::span<float> frame) const override {
    const std::span<const float> logits = frame_of(row.problem, t, row.b);
    double sum = 0;
    for (const float a : logits) sum += std::exp(a);
    for (std::size_t k = 0; k < frame.size(); ++k) frame[k] = to_float(std::exp(logits[k]) / sum);
  }
};

struct LastFrameForgotten final : PlainCtcKernel {
  static constexpr FaultNote note{"last-frame-forgotten",
                                  "the gradient of a row's last frame stays 0: t < T_b - 1, compare pytorch#14401",
                                  "gradient"};
  void frame_gradient(const Row& row, std::int64_t t, std::span<float> frame) const override {
    if (t == row.frames - 1) return gradient_past_length(row, t, frame);
    PlainCtcKernel::frame_gradient(row, t, frame);
  }
};

}  // namespace

std::vector<CtcFault> length_faults() {
  return plant_all<CtcOperation, LongestInputLength, NeighboursInputLength, BetaOfNeighboursLength, FirstTargetLength,
                   LabelsUntilPadding, PaddedStrideWhenConcatenated, ConcatenatedWhenPadded, LabelLimit,
                   NoFramesReadsOne, SoftmaxPastLength, LastFrameForgotten>(plain_ctc_kernel());
}

}  // namespace assay::validation
