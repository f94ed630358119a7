#include "validation/ctc/run.h"

#include <algorithm>

namespace assay::validation {
namespace {

std::size_t size_of(std::int64_t due, int extra) {
  return static_cast<std::size_t>(std::max<std::int64_t>(0, due + extra));
}

std::int64_t losses_due(const CtcCase& c) {
  return c.reduction == Reduction::none ? c.B : 1;
}

std::int64_t gradients_due(const CtcCase& c) {
  return static_cast<std::int64_t>(c.activations.size());
}

}  // namespace

CtcRun run_kernel(const CtcKernel& kernel, const CtcCase& c, const CtcRunOptions& options) {
  CtcRun run;
  const CtcCase given = c;
  GuardedOutput<float> loss("loss", size_of(losses_due(c), options.extra_loss));
  GuardedOutput<float> gradient("gradient", options.gradient ? size_of(gradients_due(c), options.extra_gradient) : 0);
  try {
    kernel.run(given.view(), {loss.view(), gradient.view()}, options.threads);
  } catch (const std::invalid_argument& refusal) {
    run.refused = true;
    run.message = refusal.what();
  }
  loss.inspect(run);
  gradient.inspect(run);
  if (!(given == c)) run.trespasses.emplace_back("changed its input");
  run.loss.assign(loss.view().begin(), loss.view().end());
  run.gradient.assign(gradient.view().begin(), gradient.view().end());
  return run;
}

CtcRun run_valid(const CtcKernel& kernel, const CtcCase& c, const CtcRunOptions& options) {
  if (const std::string reason = why_not(kernel.info().support, c); !reason.empty()) throw Unsupported(reason);
  CtcRun run = run_kernel(kernel, c, options);
  if (run.refused) throw RefusedValidProblem("a valid problem was refused: " + run.message);
  return run;
}

}  // namespace assay::validation
