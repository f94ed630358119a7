// Faults of the gradient.
#include <cmath>

#include "validation/svd/faults/faults.h"
#include "validation/svd/faults/plain_kernel.h"

namespace assay::validation::svd {
namespace {

struct NoTallCorrection final : PlainSvdKernel {
  static constexpr FaultNote note{"no-tall-correction", "(I - U U^T) dU / S Vh is left out: right for square matrices",
                                  "gradient"};
  bool has_tall_correction() const override { return false; }
};

struct NoWideCorrection final : PlainSvdKernel {
  static constexpr FaultNote note{"no-wide-correction", "U / S dVh (I - V V^T) is left out: right for tall matrices",
                                  "gradient"};
  bool has_wide_correction() const override { return false; }
};

struct NoValues final : PlainSvdKernel {
  static constexpr FaultNote note{"ds-ignored", "the derivative by S is left out", "gradient"};
  double diagonal_term(double) const override { return 0; }
};

struct InfiniteAtTies final : PlainSvdKernel {
  static constexpr FaultNote note{"infinite-at-ties", "1 / (s_j - s_i) is infinite (pytorch#49886, jax#2311)",
                                  "gradient-ties"};
  double pair_term(double p, double q, double s_i, double s_j, metal::SvdGradientNotes&) const override {
    return ((p + q) / (s_j - s_i) + (p - q) / (s_j + s_i)) / 2;
  }
};

struct InfiniteAtZero final : PlainSvdKernel {
  static constexpr FaultNote note{"infinite-at-zero", "1 / s is infinite", "gradient-ties"};
  double inverse(double s, metal::SvdGradientNotes&) const override { return 1 / s; }
};

struct TiesUncounted final : PlainSvdKernel {
  static constexpr FaultNote note{"ties-not-told", "what was left out is not counted", "gradient-ties"};
  metal::SvdGradientNotes gradient(const metal::SvdCotangent<double>& cotangent, std::span<double> dA) const override {
    PlainSvdKernel::gradient(cotangent, dA);
    return {};
  }
};

struct GapsCut final : PlainSvdKernel {
  static constexpr FaultNote note{
      "gaps-damped", "1 / x becomes x / (x^2 + 1e-12): finite everywhere, and wrong where values are close",
      "gradient"};
  double pair_term(double p, double q, double s_i, double s_j, metal::SvdGradientNotes& notes) const override {
    if (s_i == s_j) return PlainSvdKernel::pair_term(p, q, s_i, s_j, notes);
    const double gap = s_j - s_i;
    return ((p + q) * gap / (gap * gap + 1e-12) + (p - q) / (s_j + s_i)) / 2;
  }
};

struct DifferenceOfSquares final : PlainSvdKernel {
  static constexpr FaultNote note{"difference-of-squares-in-float",
                                  "s_j^2 - s_i^2 is formed in float: it cancels where values are close, and under- and "
                                  "overflows (jax#40541)",
                                  "gradient"};
  double pair_term(double p, double q, double s_i, double s_j, metal::SvdGradientNotes& notes) const override {
    if (s_i == s_j) return PlainSvdKernel::pair_term(p, q, s_i, s_j, notes);
    const auto a = static_cast<float>(s_i), b = static_cast<float>(s_j);
    const float difference = b * b - a * a;
    return (p * s_j + q * s_i) / double{difference};
  }
};

struct SignOfV final : PlainSvdKernel {
  static constexpr FaultNote note{"sign-of-v", "the part of V comes with the other sign", "gradient"};
  double pair_term(double p, double q, double s_i, double s_j, metal::SvdGradientNotes& notes) const override {
    return PlainSvdKernel::pair_term(p, -q, s_i, s_j, notes);
  }
};

}  // namespace

std::vector<SvdFault> gradient_faults() {
  return plant_all<SvdOperation, NoTallCorrection, NoWideCorrection, NoValues, InfiniteAtTies, InfiniteAtZero,
                   TiesUncounted, GapsCut, DifferenceOfSquares, SignOfV>(plain_svd_kernel());
}

}  // namespace assay::validation::svd
