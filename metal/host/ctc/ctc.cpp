#include "metal/host/ctc/ctc.h"

#include <fmt/format.h>

#include <utility>

#include "metal/cpu/ctc/output.h"
#include "metal/host/ctc/planner.h"
#include "metal/host/ctc/run.h"
#include "metal/host/failure.h"
#include "metal/host/kernel_file.h"
#include "reference/ctc/validate.h"

namespace assay::metal {

using reference::CtcProblem;

Result<CtcLoss> CtcLoss::create(std::shared_ptr<Device> device, const CtcOptions& options) {
  if (!device) return CtcLoss(nullptr, nullptr, nullptr, options);
  auto library = host::library_of(*device, options.kernels, "ctc/ctc.metal");
  if (!library) return tl::unexpected(library.error());
  return create(std::move(device), std::move(*library), options);
}

Result<CtcLoss> CtcLoss::create(std::shared_ptr<Device> device, std::shared_ptr<Library> library,
                                const CtcOptions& options) {
  auto engine = host::engine_of(device, std::move(library));
  if (!engine) return tl::unexpected(engine.error());
  return CtcLoss(std::move(device), std::move(engine->queue), std::move(engine->pipelines), options);
}

template <class Real>
bool CtcLoss::is_on_device() const {
  if (!device_) return false;
  if constexpr (!std::is_same_v<Real, BFloat16>) return true;
  return pipelines_->has_function(host::ctc_softmax_name(options_.path, host::metal_type<Real>()));
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
  return host::ctc_plan(*device_, *pipelines_, statement, std::move(*rows),
                        host::CtcRoom::of(device_->limits(), options_.workspace_bytes));
}

Result<bool> CtcLoss::reload_if_changed() const {
  return device_ ? pipelines_->reload_if_changed() : Result<bool>(false);
}

template bool CtcLoss::is_on_device<float>() const;
template bool CtcLoss::is_on_device<Half>() const;
template bool CtcLoss::is_on_device<BFloat16>() const;
template Result<void> CtcLoss::operator()(const CtcProblem<float>&, const CtcOutput<float>&) const;
template Result<void> CtcLoss::operator()(const CtcProblem<Half>&, const CtcOutput<Half>&) const;
template Result<void> CtcLoss::operator()(const CtcProblem<BFloat16>&, const CtcOutput<BFloat16>&) const;
template Result<CtcPlan> CtcLoss::prepare(const CtcProblem<float>&, bool) const;
template Result<CtcPlan> CtcLoss::prepare(const CtcProblem<Half>&, bool) const;
template Result<CtcPlan> CtcLoss::prepare(const CtcProblem<BFloat16>&, bool) const;

}  // namespace assay::metal
