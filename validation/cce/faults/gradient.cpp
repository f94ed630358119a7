// Faults of the gradients: the upstream gradient, sums over tokens and entries, storage too narrow.
#include <algorithm>
#include <cmath>

#include "validation/cce/faults/faults.h"
#include "validation/cce/faults/plain_kernel.h"

namespace assay::validation::cce {
namespace {

struct UpstreamIgnored final : PlainCceKernel {
  static constexpr FaultNote note{"upstream-ignored", "the gradient from above is taken as 1: pytorch#94226",
                                  "linearity"};
  double weight_of(const Work& work, std::int64_t) const override { return loss_share(work); }
};

struct UpstreamOfFirstToken final : PlainCceKernel {
  static constexpr FaultNote note{"upstream-of-first-token", "upstream[0] for every token: Liger-Kernel#968",
                                  "linearity"};
  double weight_of(const Work& work, std::int64_t) const override { return PlainCceKernel::weight_of(work, 0); }
};

struct UpstreamOnSoftmaxOnly final : PlainCceKernel {
  static constexpr FaultNote note{"upstream-on-softmax-only", "g p - one_hot where g (p - one_hot) is due",
                                  "linearity"};
  double gradient_of_z(const Work& work, const Token& token, std::int64_t v) const override {
    const double weight = weight_of(work, token.n);
    const double one_hot = v == token.target ? 1 : 0;
    return (weight * (gradient_of_x(work, token, v) + one_hot) - one_hot) *
           slope(work, token.z[static_cast<std::size_t>(v)]);
  }
};

struct GradientZero final : PlainCceKernel {
  static constexpr FaultNote note{"gradient-zero", "without a reduction all gradients are 0: DirectML#739", "dhidden"};
  double weight_of(const Work& work, std::int64_t n) const override {
    return work.options.reduction == Reduction::none ? 0 : PlainCceKernel::weight_of(work, n);
  }
};

struct AccumulatedInHalf final : PlainCceKernel {
  static constexpr FaultNote note{"accumulated-in-half",
                                  "16-bit gradients are accumulated in their own type: axolotl#1601", "dweight"};
  double accumulate(const Work& work, double sum, double term) const override {
    return work.dtype == Dtype::float32 ? sum + term : double{rounded_to(work.dtype, sum + term)};
  }
};

struct TargetOverwritten final : PlainCceKernel {
  static constexpr FaultNote note{
      "target-overwritten", "of tokens with one target the last one counts in dweight: a scatter that does not add",
      "batch-singles"};
  void add_gradients(Work& work, const Token& token) const override {
    const std::int64_t H = work.H();
    for (std::int64_t m = 0; m < token.n; ++m) {
      if (is_ignored(work, m) || work.target(m) != token.target) continue;
      for (std::int64_t h = 0; h < H; ++h)
        work.dweight[static_cast<std::size_t>(token.target * H + h)] +=
            weight_of(work, m) * work.hidden[static_cast<std::size_t>(m * H + h)];
    }
    PlainCceKernel::add_gradients(work, token);
  }
};

struct GradientOfFirstOccurrence final : PlainCceKernel {
  static constexpr FaultNote note{
      "second-occurrence-lost", "a token whose target was met before gets no dhidden: a cache by target", "duplicates"};
  void add_gradients(Work& work, const Token& token) const override {
    PlainCceKernel::add_gradients(work, token);
    for (std::int64_t m = 0; m < token.n; ++m) {
      if (is_ignored(work, m) || work.target(m) != token.target) continue;
      for (std::int64_t h = 0; h < work.H(); ++h) work.dhidden[static_cast<std::size_t>(token.n * work.H() + h)] = 0;
    }
  }
};

struct MeanInBias final : PlainCceKernel {
  static constexpr FaultNote note{"mean-in-dbias", "dbias is divided by the tokens once more", "dbias"};
  void compute(Work& work) const override {
    PlainCceKernel::compute(work);
    for (double& g : work.dbias) g /= static_cast<double>(std::max<std::int64_t>(work.valid, 1));
  }
};

struct SkippedTiles final : PlainCceKernel {
  static constexpr FaultNote note{
      "small-softmax-skipped", "entries below a thousandth are skipped, in float32 as well as in 16 bits", "dweight"};
  double gradient_of_z(const Work& work, const Token& token, std::int64_t v) const override {
    const double g = PlainCceKernel::gradient_of_z(work, token, v);
    return v != token.target && probability(work, token, v) < 1e-3 ? 0 : g;
  }
};

struct OneHotForgotten final : PlainCceKernel {
  static constexpr FaultNote note{"one-hot-forgotten", "the softmax alone, without - one_hot", "word-sums"};
  double gradient_of_x(const Work& work, const Token& token, std::int64_t v) const override {
    return PlainCceKernel::gradient_of_x(work, token, v) + (v == token.target ? 1 - work.options.label_smoothing : 0);
  }
};

struct StaleLse final : PlainCceKernel {
  static constexpr FaultNote note{"lse-kept-in-half",
                                  "backward reads the lse that forward kept in the type of the inputs", "halves"};
  double probability(const Work& work, const Token& token, std::int64_t v) const override {
    if (!work.request.in_halves) return PlainCceKernel::probability(work, token, v);
    const Dtype kept = work.dtype == Dtype::float32 ? Dtype::bfloat16 : work.dtype;
    return std::exp(token.x[static_cast<std::size_t>(v)] - double{rounded_to(kept, token.lse())});
  }
};

struct NeighboursLse final : PlainCceKernel {
  static constexpr FaultNote note{"lse-of-token-before",
                                  "the softmax of a token is normalised by the token before it: an index off by one",
                                  "independence"};
  void compute(Work& work) const override {
    any = false;
    PlainCceKernel::compute(work);
  }
  void add_gradients(Work& work, const Token& token) const override {
    Token other = token;
    if (any) other.exponentials = previous;
    previous = token.exponentials;
    any = true;
    PlainCceKernel::add_gradients(work, other);
  }
  static thread_local Running previous;
  static thread_local bool any;
};
thread_local NeighboursLse::Running NeighboursLse::previous{0, 1};
thread_local bool NeighboursLse::any = false;

}  // namespace

std::vector<CceFault> gradient_faults() {
  return plant_all<CceOperation, UpstreamIgnored, UpstreamOfFirstToken, UpstreamOnSoftmaxOnly, GradientZero,
                   AccumulatedInHalf, TargetOverwritten, GradientOfFirstOccurrence, MeanInBias, SkippedTiles,
                   OneHotForgotten, StaleLse, NeighboursLse>(plain_cce_kernel());
}

}  // namespace assay::validation::cce
