#include "metal/host/cce/statement.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::metal::host {

namespace {

/// A cap below the normal floats becomes the smallest of them, which flattens all logits just as much.
float cap_of(double logit_softcap) {
  return std::max(static_cast<float>(logit_softcap), std::numeric_limits<float>::min());
}

/// Subtracted from all logits, so that a large value that all biases share costs no digits. 0 under a cap, which is not
/// invariant to it.
template <class Real>
float offset_of(const reference::CceProblem<Real>& problem, bool has_softcap) {
  if (has_softcap || problem.bias.empty()) return 0;
  return *std::ranges::max_element(problem.bias, {}, [](Real value) { return float{value}; });
}

template <class Real>
cce::Shape shape_of(const reference::CceProblem<Real>& problem, std::uint64_t M) {
  const double eps = problem.label_smoothing, share = eps / static_cast<double>(problem.V);
  cce::Shape shape{};
  shape.H = static_cast<std::uint64_t>(problem.H);
  shape.V = static_cast<std::uint32_t>(problem.V);
  shape.M = static_cast<std::uint32_t>(M);
  shape.ignored = static_cast<std::uint32_t>(static_cast<std::uint64_t>(problem.N) - M);
  shape.cap = cap_of(problem.logit_softcap);
  shape.keep = static_cast<float>(1 - eps);
  shape.smoothing = static_cast<float>(eps);
  shape.share = static_cast<float>(share);
  shape.rest = static_cast<float>(eps - share);
  shape.z_loss = static_cast<float>(problem.z_loss);
  return shape;
}

}  // namespace

template <class Real>
CceStatement cce_statement(const reference::CceProblem<Real>& problem, std::uint64_t M, const CceWork& work,
                           CcePath path) {
  CceStatement statement;
  statement.N = static_cast<std::uint64_t>(problem.N);
  statement.H = static_cast<std::uint64_t>(problem.H);
  statement.V = static_cast<std::uint64_t>(problem.V);
  statement.M = M;
  statement.path = path;
  statement.type = metal_type<Real>();
  statement.element_size = sizeof(Real);
  statement.has_bias = !problem.bias.empty();
  statement.has_softcap = problem.logit_softcap > 0 && problem.logit_softcap <= std::numeric_limits<float>::max();
  statement.has_smoothing = problem.label_smoothing > 0;
  statement.work = work;
  statement.shape = shape_of(problem, M);
  statement.shape.offset = offset_of(problem, statement.has_softcap);
  return statement;
}

template CceStatement cce_statement(const reference::CceProblem<float>&, std::uint64_t, const CceWork&, CcePath);
template CceStatement cce_statement(const reference::CceProblem<Half>&, std::uint64_t, const CceWork&, CcePath);
template CceStatement cce_statement(const reference::CceProblem<BFloat16>&, std::uint64_t, const CceWork&, CcePath);

}  // namespace assay::metal::host
