// The kernels on the emulator as the gate judges kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "reference/ctc/validate.h"
#include "tests/kernels/ctc/bench.h"
#include "validation/ctc/kernel.h"

namespace assay::metal::test {

/// Of one size class, or the next that takes the longest row.
class EmulatedCtcKernel : public validation::CtcFloatKernel {
 public:
  explicit EmulatedCtcKernel(SizeClass size, bool is_checked = false) : size_(size), bench_(options(is_checked)) {
    info_.name = "metal-" + name_of(size);
    info_.unit_roundoff = std::ldexp(1.0, -24);
    info_.batch_invariant = true;
    if (size != SizeClass::plain) return;
    info_.arithmetic = validation::Arithmetic::log_space;
    info_.two_step = true;
  }

  const validation::CtcKernelInfo& info() const override { return info_; }

  void run(const reference::CtcProblem<float>& problem, const metal::CtcOutput<float>& out,
           int /*threads*/) const override {
    reference::validate(problem);
    reference::validate_activations(problem);
    const bool is_reduced = problem.reduction != reference::Reduction::none;
    reference::detail::expect_size("loss", out.loss.size(), "B or 1", is_reduced ? 1 : problem.B);
    if (!out.gradient.empty())
      reference::detail::expect_size("gradient", out.gradient.size(), "T * B * C", problem.T * problem.B * problem.C);
    const CtcOutcome outcome =
        bench_.run(problem, {.size = fitting(size_, problem), .with_gradient = !out.gradient.empty()});
    std::ranges::copy(outcome.loss, out.loss.begin());
    std::ranges::copy(outcome.gradient, out.gradient.begin());
  }

  std::string reports() const { return bench_.reports(); }

  static SizeClass fitting(SizeClass size, const reference::CtcProblem<float>& problem) {
    std::uint64_t longest = 1;
    for (const std::int64_t labels : problem.target_lengths)
      longest = std::max(longest, 2 * static_cast<std::uint64_t>(labels) + 1);
    while (max_states(size) < longest) size = static_cast<SizeClass>(static_cast<int>(size) + 1);
    return size;
  }

 private:
  static emulator::EmulatorOptions options(bool is_checked) {
    emulator::EmulatorOptions options;
    options.is_checked = is_checked;
    return options;
  }

  SizeClass size_;
  mutable CtcBench bench_;
  validation::CtcKernelInfo info_;
};

}  // namespace assay::metal::test
