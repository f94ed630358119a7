// What the tests of CTC's gate share: small cases that a hand can check, kernels that do as they are told, and
// properties by name.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "tests/validation/operations/samples.h"
#include "validation/ctc/case.h"
#include "validation/ctc/faults/faults.h"
#include "validation/ctc/kernel.h"
#include "validation/ctc/operation.h"

namespace assay::validation {

/// Does what its function does, and claims what the plain kernel claims.
class StubKernel final : public CtcFloatKernel {
 public:
  using Run = std::function<void(const CtcProblem<float>&, const metal::CtcOutput<float>&, int)>;

  explicit StubKernel(Run run) : run_(std::move(run)) {}

  const CtcKernelInfo& info() const override { return info_; }
  Support& claims() { return info_.support; }
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

/// Spoils the gradient [T, B, C] of a problem.
using Spoil = std::function<void(const CtcProblem<float>&, std::span<float>)>;

/// What the plain kernel gives, then `spoil` where a gradient was asked for.
inline StubKernel spoiled_gradient(const Spoil& spoil) {
  return StubKernel([spoil](const CtcProblem<float>& problem, const metal::CtcOutput<float>& out, int threads) {
    plain_ctc_kernel()->run(problem, out, threads);
    if (!out.gradient.empty()) spoil(problem, out.gradient);
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

/// Frame t has 20 at label t, or at the blank past the labels, and 0 elsewhere. No label is the one before.
inline CtcCase certain_path(std::int64_t T, std::int64_t S, std::int64_t C) {
  CtcCase c;
  c.T = T;
  c.B = 1;
  c.C = C;
  c.activations.assign(static_cast<std::size_t>(T * C), 0);
  c.input_lengths = {T};
  std::vector<std::int64_t> labels;
  for (std::int64_t s = 0; s < S; ++s) labels.push_back(1 + s % (C - 1));
  for (std::int64_t t = 0; t < T; ++t) c.activation(t, 0, t < S ? labels[static_cast<std::size_t>(t)] : 0) = 20;
  set_targets(c, {labels});
  return c;
}

template <>
struct Samples<CtcOperation> {
  static constexpr const char* line =
      "T=2 B=1 C=2 S=1 blank=0 input=logits variable=logits layout=padded reduction=none zero_infinity=0 "
      "input_lengths=2 target_lengths=1 targets=1 upstream= activations=0,0,0,0";
  static CtcCase small() { return three_of_four_paths(); }
  static CtcCase smallest() {
    CtcCase c;
    c.B = 1;
    c.input_lengths = c.target_lengths = {0};
    return c;
  }
  static bool is_smallest(CtcCase c) {
    c.input = CtcInput::logits;
    return c == smallest();
  }
  static constexpr int cases = 60;
  static constexpr int fault_cases = 200;
  static constexpr int metal_fault_cases = 200;
  static std::vector<std::string> kernels() { return {"plain", "cpu"}; }
  static std::vector<std::string> names() { return {"cpu", "plain", "fault:best-path"}; }
  /// Extents: T, B, C, S.
  static std::vector<SmallFault> small_faults() {
    return {{"skip-over-repeat", {2, 1, 3, 2}},        {"skip-forbidden", {2, 1, 3, 2}},
            {"ends-in-blank", {1, 1, 3, 1}},           {"beta-ends-in-blank", {2, 1, 3, 1}},
            {"blank-is-zero", {1, 1, 3, 1}},           {"mean-over-all-labels", {2, 2, 3, 2}},
            {"neighbours-input-length", {2, 2, 3, 1}}, {"past-length-unwritten", {2, 2, 3, 1}},
            {"softmax-without-maximum", {1, 1, 3, 1}}};
  }
};

template <>
struct Commands<CtcOperation> {
  /// The label 1 twice in two frames: no alignment fits, unless the blank between them is forgotten.
  static constexpr const char* line =
      "T=2 B=1 C=2 S=2 blank=0 input=logits variable=logits layout=padded reduction=none zero_infinity=0 "
      "input_lengths=2 target_lengths=2 targets=1,1 upstream= activations=0,0,0,0";
  static constexpr const char *fault = "skip-over-repeat", *property = "loss", *other = "svd";
  static constexpr Spoiled spoiled[] = {{"target_lengths=2", "target_lengths=900000", "target_lengths"},
                                        {"input_lengths=2", "input_lengths=", "input_lengths"},
                                        {"targets=1,1", "targets=1,2", "targets"},
                                        {"activations=0,0,0,0", "activations=0,0,0", "activations"},
                                        {"activations=0,0,0,0", "activations=0,nan,0,0", "activations"}};
  static constexpr const char *filter = "skip-over", *killed = "skip-over-repeat +killed +[0-9]+  loss\n",
                              *count = "1 of 1 faults killed, 0 by another property than the one meant";

  static CtcCase batch() { return CtcOperation::sized_case(20, 5, 8, 1, 1); }
  static constexpr const char *batch_fault = "upstream-ignored", *batch_property = "linearity";
  static void spoil(CtcCase& c) { c.targets[0] = 5; }
  static constexpr const char* complaint = "batch.npz: ";
};

inline const CtcProperty& property_named(const std::string& name) {
  return named(CtcOperation::properties(), name);
}

}  // namespace assay::validation
