// Kernels made for one test, and the smallest problem worth giving them.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "validation/ctc/case.h"
#include "validation/ctc/faults/faults.h"
#include "validation/ctc/kernel.h"

namespace assay::validation {

/// Does what its function does, and claims what the plain kernel claims.
class StubKernel final : public CtcKernel {
 public:
  using Run = std::function<void(const CtcProblem<float>&, const metal::CtcOutput<float>&, int)>;

  explicit StubKernel(Run run) : run_(std::move(run)) {}

  const CtcKernelInfo& info() const override { return info_; }
  void run(const CtcProblem<float>& problem, const metal::CtcOutput<float>& out, int threads) const override {
    run_(problem, out, threads);
  }

 private:
  CtcKernelInfo info_ = plain_ctc_kernel()->info();
  Run run_;
};

/// What the plain kernel gives, then `spoil`: a fault in the results alone.
inline StubKernel spoiled(std::function<void(const metal::CtcOutput<float>&)> spoil) {
  return StubKernel([spoil](const CtcProblem<float>& problem, const metal::CtcOutput<float>& out, int threads) {
    plain_ctc_kernel()->run(problem, out, threads);
    spoil(out);
  });
}

/// Zero everywhere.
inline void fill_with_zero(const metal::CtcOutput<float>& out) {
  std::fill(out.loss.begin(), out.loss.end(), 0.0F);
  std::fill(out.gradient.begin(), out.gradient.end(), 0.0F);
}

/// T=2, B=1, C=2, all logits 0, the label 1: three of the four paths read it, so that p = 3/4, and
/// the posterior is 1/3, 2/3 in both frames.
inline CtcCase three_of_four_paths() {
  CtcCase c;
  c.T = 2;
  c.B = 1;
  c.C = 2;
  c.activations = {0, 0, 0, 0};
  c.input_lengths = {2};
  set_targets(c, {{1}});
  return c;
}

/// The label 1 twice in two frames: the blank between them does not fit.
inline CtcCase too_few_frames() {
  CtcCase c = three_of_four_paths();
  set_targets(c, {{1, 1}});
  return c;
}

}  // namespace assay::validation
