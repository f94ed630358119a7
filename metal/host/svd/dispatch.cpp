#include "metal/host/svd/dispatch.h"

#include <algorithm>

namespace assay::metal::host {

SvdDispatches::SvdDispatches(const SvdStatement& statement)
    : round_(statement.method == SvdMethod::sweeps ? 1 : std::size_t{statement.steps()} + 1),
      rounds_((statement.max_sweeps + statement.sweeps_at_once - 1) / statement.sweeps_at_once),
      finishes_((statement.shape.columns + statement.ranks_at_once - 1) / statement.ranks_at_once) {}

SvdDispatch SvdDispatches::at(std::size_t n, const SvdStatement& statement, const SvdKernels& kernels,
                              std::uint64_t matrices) const {
  SvdDispatch load{kernels.load, statement.shape, {matrices, 1, 1}};
  load.work = work_of(load.groups, svd_store_work(statement));
  if (n == 0) return load;
  if (n + finishes_ >= count()) return finish(n + finishes_ - count(), statement, kernels, matrices);
  return rotate(n - 1, statement, kernels, matrices);
}

SvdDispatch SvdDispatches::rotate(std::size_t n, const SvdStatement& statement, const SvdKernels& kernels,
                                  std::uint64_t matrices) const {
  const auto round = static_cast<std::uint32_t>(n / round_), step = static_cast<std::uint32_t>(n % round_);
  SvdDispatch dispatch{kernels.rotate, statement.shape, {matrices, 1, 1}};
  dispatch.shape.sweep = round * statement.sweeps_at_once;
  dispatch.shape.sweeps = std::min(statement.sweeps_at_once, statement.max_sweeps - dispatch.shape.sweep);
  dispatch.shape.step = step;
  std::uint64_t of_group = saturated_product(dispatch.shape.sweeps, svd_rotate_work(statement));
  if (statement.method != SvdMethod::sweeps) {
    const bool settles = step + 1 == round_;
    if (settles) dispatch.kernel = kernels.settle;
    if (!settles) dispatch.groups = {statement.groups(), matrices, 1};
    of_group = settles ? statement.groups() : svd_rotate_work(statement);
  }
  dispatch.work = work_of(dispatch.groups, of_group);
  return dispatch;
}

SvdDispatch SvdDispatches::finish(std::size_t n, const SvdStatement& statement, const SvdKernels& kernels,
                                  std::uint64_t matrices) const {
  SvdDispatch dispatch{kernels.finish, statement.shape, {matrices, 1, 1}};
  dispatch.shape.first_rank = static_cast<std::uint32_t>(n) * statement.ranks_at_once;
  const std::uint32_t ranks = std::min(statement.ranks_at_once, dispatch.shape.columns - dispatch.shape.first_rank);
  dispatch.shape.end_rank = dispatch.shape.first_rank + ranks;
  dispatch.work =
      work_of(dispatch.groups, svd_store_work(statement) + saturated_product(ranks, svd_complete_work(statement)));
  return dispatch;
}

}  // namespace assay::metal::host
