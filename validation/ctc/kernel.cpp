#include "validation/ctc/kernel.h"

namespace assay::validation {

void CtcFloatKernel::run(const metal::AnyCtcProblem& problem, const metal::AnyCtcOutput& out,
                         const CtcRequest& request) const {
  const auto* const activations = std::get_if<std::span<const float>>(&problem.activations);
  const auto* const gradient = std::get_if<std::span<float>>(&out.gradient);
  if (activations == nullptr || gradient == nullptr)
    throw Unsupported("the kernel does not do other types than float32");
  reference::CtcProblem<float> whole = problem.options;
  whole.activations = *activations;
  run(whole, {out.loss, *gradient}, request.threads);
}

}  // namespace assay::validation
