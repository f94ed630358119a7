#include "metal/host/svd/dispatch.h"

#include <algorithm>

namespace assay::metal::host {

SvdDispatches::SvdDispatches(const SvdStatement& statement)
    : round_(statement.method == SvdMethod::sweeps ? 1 : std::size_t{statement.steps()} + 1),
      rounds_((statement.max_sweeps + statement.sweeps_at_once - 1) / statement.sweeps_at_once) {}

SvdDispatch SvdDispatches::at(std::size_t n, const SvdStatement& statement, const SvdKernels& kernels,
                              std::uint64_t matrices) const {
  const std::uint64_t rows = statement.shape.rows, columns = statement.shape.columns;
  SvdDispatch dispatch{&kernels.load, statement.shape, {matrices, 1, 1}};
  dispatch.work = work_of(dispatch.groups, columns * (4 * rows + columns));
  if (n == 0) return dispatch;
  dispatch.kernel = &kernels.finish;
  if (n + 1 == count()) return dispatch;
  const auto round = static_cast<std::uint32_t>((n - 1) / round_), step = static_cast<std::uint32_t>((n - 1) % round_);
  dispatch.shape.sweep = round * statement.sweeps_at_once;
  dispatch.shape.sweeps = std::min(statement.sweeps_at_once, statement.max_sweeps - dispatch.shape.sweep);
  dispatch.shape.step = step;
  dispatch.kernel = &kernels.rotate;
  dispatch.work = work_of(dispatch.groups, saturated_product(dispatch.shape.sweeps, svd_rotate_work(statement)));
  if (statement.method == SvdMethod::sweeps) return dispatch;
  if (step + 1 == round_) {
    dispatch.kernel = &kernels.settle;
    dispatch.work = work_of(dispatch.groups, statement.groups());
  } else {
    dispatch.groups = {statement.groups(), matrices, 1};
    dispatch.work = work_of(dispatch.groups, svd_rotate_work(statement));
  }
  return dispatch;
}

}  // namespace assay::metal::host
