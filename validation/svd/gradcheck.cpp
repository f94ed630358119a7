// Checks dL/dA of SVD kernels, for given derivatives of L by the factors.
#include <fmt/format.h>

#include <algorithm>

#include "validation/core/number.h"
#include "validation/gradcheck/judge.h"
#include "validation/svd/gradient_bounds.h"
#include "validation/svd/gradient_case.h"
#include "validation/svd/operation.h"

namespace assay::validation {
namespace {

template <class Value>
void append(std::vector<Value>& all, const std::vector<Value>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// The gradient dA [B, M, N] without values.
JudgedGradient empty_gradient(const SvdCase& c) {
  JudgedGradient gradient;
  gradient.name = "dA";
  gradient.axes = {"b", "i", "j"};
  gradient.nouns = {"matrix", "row", "column"};
  gradient.sizes = {"B", "M", "N"};
  gradient.extents = {c.B, c.M, c.N};
  gradient.dtype = Dtype::float64;
  return gradient;
}

/// A mistake in the derivatives by the factors: one derivative is left out or has the wrong sign.
struct Other {
  const char* key;
  const char* sentence;
  std::vector<double> SvdGradientCase::* derivative;
  double factor;
};

const Other others[] = {
    {"no dU", "dL/dU is ignored: this is the gradient where it is 0", &SvdGradientCase::dU, 0},
    {"no dS", "dL/dS is ignored: this is the gradient where it is 0", &SvdGradientCase::dS, 0},
    {"no dVh", "dL/dVh is ignored: this is the gradient where it is 0", &SvdGradientCase::dVh, 0},
    {"sign dU", "dL/dU comes with the opposite sign", &SvdGradientCase::dU, -1},
    {"sign dS", "dL/dS comes with the opposite sign", &SvdGradientCase::dS, -1},
    {"sign dVh", "dL/dVh comes with the opposite sign", &SvdGradientCase::dVh, -1},
};

std::vector<BigFloat> exact_with(std::vector<SvdGradientCase> matrices, const Other& other, int digits) {
  std::vector<BigFloat> exact;
  for (SvdGradientCase& f : matrices) {
    for (double& value : f.*other.derivative) value *= other.factor;
    append(exact, exact_gradient(f, digits));
  }
  return exact;
}

}  // namespace

GradientJudgement SvdOperation::judge_gradients(const SvdKernel& kernel, const SvdCase& c, int digits) {
  if (!kernel.info().has_gradient) throw Unsupported("the kernel has no gradient");
  const SvdTruth truth = truth_of(c, digits);
  GradientJudgement judgement;
  JudgedGradient gradient = empty_gradient(c);
  std::vector<SvdGradientCase> matrices;
  for (const auto& matrix : truth.matrices) {
    SvdGradientCase f = gradient_case(c, *matrix);
    differentiate(f);
    metal::SvdGradientNotes notes;
    Footprint footprint;
    append(gradient.got, run_gradient(kernel, f, notes, footprint));
    if (judgement.patterns.empty()) judgement.patterns = unwritten(footprint);
    if (!footprint.out_of_bounds_writes.empty()) judgement.out_of_bounds_write = footprint.out_of_bounds_writes[0];
    append(gradient.exact, exact_gradient(f, digits));
    append(gradient.bound, gradient_bounds(f.view()));
    matrices.push_back(std::move(f));
  }
  gradient.judge();
  judgement.gradients.push_back(std::move(gradient));
  if (!judgement.is_wrong()) return judgement;
  const JudgedGradient& wrong = judgement.gradients[0];
  for (Pattern& pattern : patterns_of(wrong, {})) judgement.patterns.push_back(std::move(pattern));
  for (const Other& other : others)
    if (wrong.fits(exact_with(matrices, other, digits), wrong.bound))
      judgement.patterns.push_back({other.key, other.sentence});
  return judgement;
}

SvdProfile SvdOperation::gradcheck_profile(const SvdKernel&) {
  return {.deficient = 0, .scaled = 0};
}

}  // namespace assay::validation
