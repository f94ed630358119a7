// Honest kernels of few bits: what a bound must let pass when a kernel says how it computes, and catch when it boasts.
#pragma once

#include <cmath>
#include <span>

#include "validation/ctc/faults/plain_kernel.h"

namespace assay::validation {

/// The plain kernel with every operation of its recursions, its softmax and its gradient rounded to float32:
/// log space in single precision, as most published kernels have it.
class FloatKernel : public PlainCtcKernel {
 public:
  explicit FloatKernel(double claimed_unit_roundoff)
      : info_{.name = "float",
              .arithmetic = Arithmetic::log_space,
              .unit_roundoff = claimed_unit_roundoff,
              .random_rounding = true,
              .batch_invariant = true} {}

  const CtcKernelInfo& info() const override { return info_; }

 protected:
  static float narrow(double x) { return static_cast<float>(x); }

  void read_log_y(Row& row) const override {
    row.log_y = LogMatrix(row.frames, row.problem.C);
    for (std::int64_t t = 0; t < row.frames; ++t) {
      const bool logits = row.problem.input == reference::CtcInput::logits;
      const float shift = logits ? narrow(softmax_shift(row, t)) : 0.0F;
      float sum = logits ? 0.0F : 1.0F;
      for (const float a : frame_of(row.problem, t, row.b)) sum += logits ? std::exp(a - shift) : 0.0F;
      const float normaliser = std::log(sum);
      for (std::int64_t k = 0; k < row.problem.C; ++k) {
        row.log_y(t, k) = double{frame_of(row.problem, t, row.b)[static_cast<std::size_t>(k)] - shift - normaliser};
      }
    }
  }
  double log_add(double a, double b) const override {
    const float larger = narrow(std::max(a, b));
    if (larger == narrow(log_zero)) return log_zero;
    return double{larger + std::log1p(std::exp(narrow(std::min(a, b)) - larger))};
  }
  double alpha_step(const Row& row, std::int64_t t, std::int64_t s) const override {
    return double{narrow(PlainCtcKernel::alpha_step(row, t, s))};
  }
  double beta_step(const Row& row, std::int64_t t, std::int64_t s) const override {
    return double{narrow(PlainCtcKernel::beta_step(row, t, s))};
  }
  double occupancy(const Row& row, std::int64_t t, std::int64_t s) const override {
    return double{narrow(PlainCtcKernel::occupancy(row, t, s))};
  }
  double posterior(const Row& row, std::int64_t t, std::int64_t k, double gathered) const override {
    if (gathered == log_zero) return 0;
    return double{std::exp(narrow(gathered) - narrow(row.log_y(t, k)) - narrow(row.log_p))};
  }
  double element(const Row& row, std::int64_t t, std::int64_t k, double posterior, double weight) const override {
    const float w = narrow(weight);
    if (row.problem.variable == reference::CtcVariable::log_probs) return double{-w * narrow(posterior)};
    return double{w * (std::exp(narrow(row.log_y(t, k))) - narrow(posterior))};
  }

 private:
  CtcKernelInfo info_;
};

/// The plain kernel with its results rounded to the 11 bits of a half.
class HalfResultsKernel : public PlainCtcKernel {
 public:
  explicit HalfResultsKernel(double claimed_output_unit_roundoff)
      : info_{.name = "half",
              .arithmetic = Arithmetic::log_space,
              .random_rounding = true,
              .batch_invariant = true,
              .output_unit_roundoff = claimed_output_unit_roundoff} {}

  const CtcKernelInfo& info() const override { return info_; }

 protected:
  float to_float(double value) const override {
    if (!std::isfinite(value)) return static_cast<float>(value);
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    return static_cast<float>(std::ldexp(std::round(std::ldexp(mantissa, 11)), exponent - 11)) + 0.0F;
  }

 private:
  CtcKernelInfo info_;
};

/// The plain kernel whose results below 2^-126 are off by what `lose` makes of them.
class LosingKernel : public PlainCtcKernel {
 public:
  LosingKernel(bool claims_to_flush, float (*lose)(float)) : lose_(lose) { info_.flushes_subnormals = claims_to_flush; }

 protected:
  float to_float(double value) const override {
    const float result = PlainCtcKernel::to_float(value);
    return is_flushed(double{result}) ? lose_(result) : result;
  }

 private:
  float (*lose_)(float);
};

}  // namespace assay::validation
