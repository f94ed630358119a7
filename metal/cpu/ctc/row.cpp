#include "metal/cpu/ctc/row.h"

#include <algorithm>
#include <limits>

#include "metal/cpu/ctc/kernels.h"
#include "metal/cpu/half.h"

namespace assay::metal::cpu {

namespace {

template <class Real>
void fill_gradient(const Row<Real>& row, std::size_t first, std::size_t last, Real value) {
  if (row.gradient.empty()) return;
  for (std::size_t t = first; t < last; ++t) std::fill_n(row.gradient_frame(t), row.C(), value);
}

template <class Real>
double impossible(const Row<Real>& row) {
  const bool zero = row.problem.zero_infinity;
  fill_gradient(row, 0, row.T(), Real(zero ? 0.0F : std::numeric_limits<float>::quiet_NaN()));
  return zero ? 0.0 : std::numeric_limits<double>::infinity();
}

}  // namespace

template <class Real>
States begin_row(const Row<Real>& row, const RowWorkspace& workspace) {
  fill_gradient(row, row.T(), static_cast<std::size_t>(row.problem.T), Real(0.0F));
  return feasible(row.labels, row.T()) ? expand(row.labels, row.problem.blank, workspace.states) : States{};
}

template <class Real>
RowLoss finish_row(const Row<Real>& row, const RowWorkspace& workspace, const States& states,
                   const Kernels<Real>& kernels, Path path) {
  if (states.slots.empty()) return {impossible(row), false};
  ScaledResult result;
  if (path == Path::scaled) result = kernels.scaled(row, workspace, states);
  const bool extended = !result.loss_is_certain || !result.gradient_is_certain;
  if (extended) {
    const double loss = kernels.extended(row, workspace, states);
    if (!result.loss_is_certain)
      result.loss = loss;  // a certain loss stays, so that it has the same bits without a gradient
  }
  if (result.loss == std::numeric_limits<double>::infinity()) return {impossible(row), extended};
  const bool logits = row.problem.input == reference::CtcInput::logits;
  return {logits ? std::max(0.0, result.loss) : result.loss, extended};
}

template States begin_row(const Row<float>&, const RowWorkspace&);
template States begin_row(const Row<Half>&, const RowWorkspace&);
template States begin_row(const Row<BFloat16>&, const RowWorkspace&);
template RowLoss finish_row(const Row<float>&, const RowWorkspace&, const States&, const Kernels<float>&, Path);
template RowLoss finish_row(const Row<Half>&, const RowWorkspace&, const States&, const Kernels<Half>&, Path);
template RowLoss finish_row(const Row<BFloat16>&, const RowWorkspace&, const States&, const Kernels<BFloat16>&, Path);

}  // namespace assay::metal::cpu
