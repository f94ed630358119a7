// Faults of the options: softcap, label smoothing, z-loss, ignore_index, reductions.
#include <cmath>

#include "validation/cce/faults/faults.h"
#include "validation/cce/faults/plain_kernel.h"

namespace assay::validation::cce {
namespace {

struct SlopeForgotten final : PlainCceKernel {
  static constexpr FaultNote note{"softcap-slope-forgotten",
                                  "the gradient passes the cap as if it were not there: Liger-Kernel#418", "softcap"};
  double slope(const Work&, double) const override { return 1; }
};

struct SlopeOfCapped final : PlainCceKernel {
  static constexpr FaultNote note{"softcap-slope-of-capped", "1 - tanh^2 of the capped logit, not of the logit",
                                  "softcap"};
  double slope(const Work& work, double z) const override { return PlainCceKernel::slope(work, capped(work, z)); }
};

struct InfiniteCap final : PlainCceKernel {
  static constexpr FaultNote note{"softcap-infinite", "a cap of infinity is inf * tanh(0) = NaN", "softcap-off"};
  bool has_softcap(const Work& work) const override { return work.options.logit_softcap > 0; }
};

struct CapAsClamp final : PlainCceKernel {
  static constexpr FaultNote note{"softcap-as-clamp", "logits are cut at the cap, not bent towards it", "loss"};
  double capped(const Work& work, double z) const override {
    const double cap = work.options.logit_softcap;
    return has_softcap(work) ? std::fmin(std::fmax(z, -cap), cap) : z;
  }
};

struct CapBeforeBias final : PlainCceKernel {
  static constexpr FaultNote note{"softcap-before-bias", "the cap bends the product, and the bias comes after", "loss"};
  Token forward(const Work& work, std::int64_t n) const override {
    Token token = PlainCceKernel::forward(work, n);
    if (work.bias.empty() || !has_softcap(work)) return token;
    for (std::size_t v = 0; v < token.x.size(); ++v)
      token.x[v] = std::isfinite(work.bias[v]) ? capped(work, token.z[v] - work.bias[v]) + work.bias[v] : token.x[v];
    token.exponentials = sum_exponentials(work, token.x);
    return token;
  }
};

struct SmoothingOverOthers final : PlainCceKernel {
  static constexpr FaultNote note{"smoothing-over-others", "eps / (V - 1) on each entry, the target too", "word-sums"};
  double gradient_of_x(const Work& work, const Token& token, std::int64_t v) const override {
    const auto V = static_cast<double>(work.V());
    const double eps = V > 1 ? work.options.label_smoothing : 0;
    return PlainCceKernel::gradient_of_x(work, token, v) + eps / V - (V > 1 ? eps / (V - 1) : 0);
  }
};

struct SmoothingInLossOnly final : PlainCceKernel {
  static constexpr FaultNote note{"smoothing-in-loss-only", "the loss is smoothed, its gradient is not", "dhidden"};
  double gradient_of_x(const Work& work, const Token& token, std::int64_t v) const override {
    const double eps = work.options.label_smoothing;
    return PlainCceKernel::gradient_of_x(work, token, v) + eps / static_cast<double>(work.V()) -
           (v == token.target ? eps : 0);
  }
};

struct ZLossInLossOnly final : PlainCceKernel {
  static constexpr FaultNote note{"z-loss-in-loss-only", "zeta lse^2 is added to the loss, and has no gradient",
                                  "dhidden"};
  double gradient_of_x(const Work& work, const Token& token, std::int64_t v) const override {
    return PlainCceKernel::gradient_of_x(work, token, v) -
           2 * work.options.z_loss * token.lse() * probability(work, token, v);
  }
};

struct ZLossNotSquared final : PlainCceKernel {
  static constexpr FaultNote note{"z-loss-not-squared", "zeta |lse|", "loss"};
  double loss(const Work& work, const Token& token) const override {
    Token unregularized = token;
    const double zeta = work.options.z_loss;
    return PlainCceKernel::loss(work, unregularized) + zeta * (std::abs(token.lse()) - token.lse() * token.lse());
  }
};

struct IgnoreIndexIgnored final : PlainCceKernel {
  static constexpr FaultNote note{"only-minus-100-ignored",
                                  "-100 is ignored, whatever ignore_index says: pytorch#108148", "ignored"};
  bool is_ignored(const Work& work, std::int64_t n) const override {
    const std::int64_t target = work.target(n);
    return target < 0 || target >= work.V();
  }
};

struct MeanOverAll final : PlainCceKernel {
  static constexpr FaultNote note{"mean-over-all-tokens", "the mean counts ignored tokens: TransformerEngine#336",
                                  "reductions"};
  std::int64_t count_valid(const Work& work) const override { return work.N(); }
};

struct MeanOfNothing final : PlainCceKernel {
  static constexpr FaultNote note{"mean-of-nothing", "0 / 0 where no token counts: pytorch#116349", "empty"};
  double reduced_loss(const Work& work) const override {
    if (work.options.reduction != Reduction::mean || work.valid > 0) return PlainCceKernel::reduced_loss(work);
    return std::nan("");
  }
};

struct MeanOfLossOnly final : PlainCceKernel {
  static constexpr FaultNote note{"mean-of-loss-only", "the loss is a mean, its gradients those of the sum",
                                  "reductions"};
  double weight_of(const Work& work, std::int64_t n) const override {
    const double share = loss_share(work);
    return share > 0 ? PlainCceKernel::weight_of(work, n) / share : 0;
  }
};

struct IgnoredTimesZero final : PlainCceKernel {
  static constexpr FaultNote note{"ignored-times-zero",
                                  "an ignored row is multiplied by 0, and 0 * NaN is NaN: pytorch#11551", "ignored"};
  void run_token(Work& work, std::int64_t n) const override {
    PlainCceKernel::run_token(work, n);
    if (!is_ignored(work, n)) return;
    for (std::int64_t i = 0; i < work.V() * work.H(); ++i)
      work.dweight[static_cast<std::size_t>(i)] +=
          0 * work.hidden[static_cast<std::size_t>(n * work.H() + i % work.H())];
  }
};

struct IgnoredHasLoss final : PlainCceKernel {
  static constexpr FaultNote note{"ignored-has-loss", "an ignored token reports ln V", "ignored"};
  double ignored_loss(const Work& work, std::int64_t) const override {
    return std::log(static_cast<double>(work.V()) + 1);
  }
};

}  // namespace

std::vector<CceFault> option_faults() {
  return plant_all<CceOperation, SlopeForgotten, SlopeOfCapped, InfiniteCap, CapAsClamp, CapBeforeBias,
                   SmoothingOverOthers, SmoothingInLossOnly, ZLossInLossOnly, ZLossNotSquared, IgnoreIndexIgnored,
                   MeanOverAll, MeanOfNothing, MeanOfLossOnly, IgnoredTimesZero, IgnoredHasLoss>(plain_cce_kernel());
}

}  // namespace assay::validation::cce
