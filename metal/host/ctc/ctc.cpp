#include "metal/host/ctc/ctc.h"

#include <fmt/format.h>

#include <utility>

#include "metal/cpu/ctc/output.h"
#include "metal/host/ctc/run.h"
#include "metal/host/failure.h"
#include "reference/ctc/validate.h"

namespace assay::metal {

using reference::CtcProblem;

std::string CtcLoss::bfloat_kernel() const {
  return host::ctc_softmax_name(options_.path, "bfloat");
}

template <class Real>
Result<void> CtcLoss::operator()(const CtcProblem<Real>& problem, const CtcOutput<Real>& output) const {
  if (!is_on_device<Real>()) {
    ctc_loss(problem, output);
    return {};
  }
  reference::validate(problem);
  cpu::validate_output(problem, output);
  reference::validate_activations(problem);
  std::unique_lock lock(*mutex_);
  const Result<CtcPlan> made = plan(problem, !output.gradient.empty());
  if (!made) return tl::unexpected(made.error());
  const auto run = host::CtcRun::start(*device_, *queue_, *made, std::as_bytes(problem.activations));
  lock.unlock();
  if (!run) return tl::unexpected(run.error());
  return run->finish(std::as_writable_bytes(output.gradient), std::as_writable_bytes(output.loss));
}

template <class Real>
Result<CtcPlan> CtcLoss::prepare(const CtcProblem<Real>& problem, bool with_gradient) const {
  reference::validate_without_activations(problem);
  if (!device_) return error(Error::Kind::environment, "there is no device to prepare a plan for");
  if (!is_on_device<Real>())
    return error(Error::Kind::environment,
                 fmt::format("the library has no function {}: expected another type of activations on this device",
                             host::ctc_softmax_name(options_.path, host::metal_type<Real>())));
  const std::lock_guard lock(*mutex_);
  return plan(problem, with_gradient);
}

template <class Real>
Result<CtcPlan> CtcLoss::plan(const CtcProblem<Real>& problem, bool with_gradient) const {
  Result<host::CtcRows> rows = host::ctc_rows(problem);
  if (!rows) return tl::unexpected(rows.error());
  host::CtcStatement statement = host::ctc_statement(problem, with_gradient, options_.path);
  statement.min_states = options_.min_states;
  statement.max_work = options_.max_work;
  return host::ctc_plan(*device_, *pipelines_, statement, std::move(*rows),
                        host::CtcRoom::of(device_->limits(), options_.workspace_bytes));
}

#define ASSAY_INSTANTIATE(Real)                                                                     \
  template Result<void> CtcLoss::operator()(const CtcProblem<Real>&, const CtcOutput<Real>&) const; \
  template Result<CtcPlan> CtcLoss::prepare(const CtcProblem<Real>&, bool) const;
ASSAY_INSTANTIATE(float)
ASSAY_INSTANTIATE(Half)
ASSAY_INSTANTIATE(BFloat16)
#undef ASSAY_INSTANTIATE

}  // namespace assay::metal
