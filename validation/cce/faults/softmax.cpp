// Faults of the logits, their log-sum-exp and the loss: maxima, chunks, entries at the edge, arithmetic too narrow.
#include <algorithm>
#include <cmath>
#include <limits>

#include "validation/cce/faults/faults.h"
#include "validation/cce/faults/plain_kernel.h"

namespace assay::validation::cce {
namespace {

constexpr double no_maximum = -std::numeric_limits<double>::infinity();

struct NoMaximum final : PlainCceKernel {
  static constexpr FaultNote note{"no-maximum", "exp of the logits as they are, in the range of float32", "shift"};
  Running sum_exponentials(const Work&, const Numbers& x) const override {
    float sum = 0;
    for (const double logit : x) sum += std::exp(static_cast<float>(logit));
    return {0, sum};
  }
};

struct RescalingForgotten final : PlainCceKernel {
  static constexpr FaultNote note{"rescaling-forgotten",
                                  "a new maximum takes over and the sum so far is not scaled to it", "loss"};
  Running merge(const Running& a, const Running& b) const override {
    const double max = std::max(a.max, b.max);
    return {max, a.sum + b.sum * std::exp(b.max - max)};
  }
};

struct FirstChunkOfMinusInfinity final : PlainCceKernel {
  static constexpr FaultNote note{"leading-minus-infinity",
                                  "exp(-inf - -inf) = NaN where the first entries are masked out", "padding"};
  Running merge(const Running& a, const Running& b) const override {
    const double max = std::max(a.max, b.max);
    return {max, a.sum * std::exp(a.max - max) + b.sum * std::exp(b.max - max)};
  }
  Running add(const Running& running, double x) const override {
    return running.sum == 0 ? Running{x, 1} : merge(running, {x, 1});
  }
};

struct MaximumFromMinus1e9 final : PlainCceKernel {
  static constexpr FaultNote note{"maximum-from-minus-1e9",
                                  "the running maximum begins at -1e9: logits that are all below it give a sum of 0",
                                  "shift"};
  Running sum_exponentials(const Work&, const Numbers& x) const override {
    Running all{-1e9, 0};
    for (const double logit : x) all = add(all, logit);
    return all;
  }
};

struct MaskedTile final : PlainCceKernel {
  static constexpr FaultNote note{"masked-tile-of-8192",
                                  "exp(-inf - -inf) = NaN where the first 8192 entries are masked", "loss"};
  Running sum_exponentials(const Work& work, const Numbers& x) const override {
    const Running all = PlainCceKernel::sum_exponentials(work, x);
    const bool is_masked = x.size() > 8192 && *std::max_element(x.begin(), x.begin() + 8192) == no_maximum;
    return is_masked ? Running{all.max, std::numeric_limits<double>::quiet_NaN()} : all;
  }
};

struct LastChunkDropped final : PlainCceKernel {
  static constexpr FaultNote note{"last-chunk-dropped", "V / chunk whole chunks, and the rest is left out", "chunks"};
  Running sum_exponentials(const Work& work, const Numbers& x) const override {
    const std::int64_t whole = work.V() / chunk(work) * chunk(work);
    if (whole == 0) return PlainCceKernel::sum_exponentials(work, x);
    Running all{no_maximum, 0};
    for (std::int64_t v = 0; v < whole; ++v) all = add(all, x[static_cast<std::size_t>(v)]);
    return all;
  }
};

struct SumPerChunkInHalf final : PlainCceKernel {
  static constexpr FaultNote note{"sum-in-half", "the running sum is kept in float16, where 2049 is 2048", "loss"};
  Running merge(const Running& a, const Running& b) const override {
    const Running merged = PlainCceKernel::merge(a, b);
    return {merged.max, rounded_to(Dtype::float16, merged.sum)};
  }
};

struct LastWordLeftOut final : PlainCceKernel {
  static constexpr FaultNote note{"last-word-left-out", "the loop over the vocabulary ends one too early",
                                  "permutation"};
  Running sum_exponentials(const Work& work, const Numbers& x) const override {
    if (x.size() < 2) return PlainCceKernel::sum_exponentials(work, x);
    Running all{no_maximum, 0};
    for (std::size_t v = 0; v + 1 < x.size(); ++v) all = add(all, x[v]);
    return all;
  }
};

struct TileEdgeReadAsZero final : PlainCceKernel {
  static constexpr FaultNote note{"tile-edge-counted", "entries past V up to a whole tile of 8 count with a logit of 0",
                                  "padding"};
  Running sum_exponentials(const Work& work, const Numbers& x) const override {
    const Running all = PlainCceKernel::sum_exponentials(work, x);
    const auto beyond = static_cast<double>((8 - work.V() % 8) % 8);
    return {all.max, all.sum + beyond * std::exp(-all.max)};
  }
};

struct BiasTwiceAtTarget final : PlainCceKernel {
  static constexpr FaultNote note{
      "bias-twice-at-target", "the bias is added to the target logit once more: apple/ml-cross-entropy#52", "shift"};
  double target_logit(const Work& work, const Token& token) const override {
    const double bias = work.bias.empty() ? 0 : work.bias[static_cast<std::size_t>(token.target)];
    return PlainCceKernel::target_logit(work, token) + bias;
  }
  double loss(const Work& work, const Token& token) const override {
    return token.lse() + work.options.z_loss * token.lse() * token.lse() - target_logit(work, token);
  }
};

struct NegativeLoss final : PlainCceKernel {
  static constexpr FaultNote note{"loss-in-float",
                                  "ln(sum) in float and max - x_t apart: below 0 for a confident token", "nonnegative"};
  double loss(const Work& work, const Token& token) const override {
    const double max = *std::max_element(token.x.begin(), token.x.end());
    const auto log_sum = static_cast<float>(token.lse() - max);
    return double{log_sum - 1e-7F} + PlainCceKernel::loss(work, token) - (token.lse() - max);
  }
};

struct LossInBfloat final : PlainCceKernel {
  static constexpr FaultNote note{"loss-in-input-type",
                                  "lse - x_t is subtracted in the type of the inputs: ml-explore/mlx#4520", "images"};
  double loss(const Work& work, const Token& token) const override {
    Token rounded = token;
    rounded.exponentials = {rounded_to(work.dtype, token.lse()), 1};
    return rounded_to(work.dtype, PlainCceKernel::loss(work, rounded));
  }
};

struct LossFromRoundedLse final : PlainCceKernel {
  static constexpr FaultNote note{"loss-from-rounded-lse",
                                  "lse is rounded to float32 and x_t subtracted from it: 0 for the logits [1e8, 1e8]",
                                  "shift"};
  LossFromRoundedLse() { info_.unit_roundoff = 0x1p-24; }
  double loss(const Work& work, const Token& token) const override {
    Token rounded = token;
    rounded.exponentials = {double{static_cast<float>(token.lse())}, 1};
    return PlainCceKernel::loss(work, rounded);
  }
};

struct BatchMaximum final : PlainCceKernel {
  static constexpr FaultNote note{"maximum-of-the-batch", "one maximum for all tokens, in float32: others underflow",
                                  "independence"};
  void compute(Work& work) const override {
    double max = no_maximum;
    for (std::int64_t n = 0; n < work.N(); ++n)
      for (std::int64_t v = 0; v < work.V() && !is_ignored(work, n); ++v) max = std::max(max, logit(work, n, v));
    shared_max = max;
    PlainCceKernel::compute(work);
  }
  Running sum_exponentials(const Work&, const Numbers& x) const override {
    float sum = 0;
    for (const double logit : x) sum += std::exp(static_cast<float>(logit - shared_max));
    return {shared_max, sum};
  }
  static thread_local double shared_max;
};
thread_local double BatchMaximum::shared_max = 0;

struct TargetOfRowZero final : PlainCceKernel {
  static constexpr FaultNote note{"target-outside-its-chunk",
                                  "the target logit is picked up in the first chunk alone; elsewhere it is 0",
                                  "chunks"};
  double target_logit(const Work& work, const Token& token) const override {
    return token.target < chunk(work) ? PlainCceKernel::target_logit(work, token) : 0;
  }
};

}  // namespace

std::vector<CceFault> softmax_faults() {
  std::vector<CceFault> faults =
      plant_all<CceOperation, NoMaximum, RescalingForgotten, FirstChunkOfMinusInfinity, MaximumFromMinus1e9,
                LastChunkDropped, SumPerChunkInHalf, LastWordLeftOut, TileEdgeReadAsZero, BiasTwiceAtTarget,
                NegativeLoss, LossInBfloat, LossFromRoundedLse, BatchMaximum, TargetOfRowZero>(plain_cce_kernel());
  faults.push_back(plant<CceOperation, MaskedTile>(plain_cce_kernel()));
  faults.back().needs_sizes = true;
  return faults;
}

}  // namespace assay::validation::cce
