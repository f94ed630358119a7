// The any-precision CTC reference on float64 arrays, at two precisions that must agree.
#include <pybind11/stl.h>

#include "reference/ctc/batch.h"
#include "reference/ctc/options.h"
#include "validation/core/truth.h"
#include "validation/python/bindings.h"
#include "validation/python/kernels/options.h"

namespace assay::python {
namespace {

namespace py = pybind11;
using reference::BigFloat;
using reference::CtcOutcome;
using reference::CtcProblem;

CtcOutcome<BigFloat> compute(const CtcProblem<double>& problem, int digits) {
  const reference::PrecisionScope scope(digits);
  return reference::ctc_outcome<BigFloat>(problem);
}

using Texts = std::vector<std::string>;

std::pair<Texts, Texts> ctc(const DoubleArray& activations, const Integers& targets, const Integers& input_lengths,
                            const Integers& target_lengths, const DoubleArray& upstream, bool is_log_probs,
                            bool of_log_probs, const py::dict& options, int digits) {
  CtcProblem<double> problem;
  problem.T = activations.shape(0);
  problem.B = activations.shape(1);
  problem.C = activations.shape(2);
  problem.S = targets.ndim() == 2 ? targets.shape(1) : 0;
  problem.activations = span_of(activations);
  problem.targets = span_of(targets);
  problem.input_lengths = span_of(input_lengths);
  problem.target_lengths = span_of(target_lengths);
  problem.upstream = span_of(upstream);
  problem.input = is_log_probs ? reference::CtcInput::log_probs : reference::CtcInput::logits;
  problem.variable = of_log_probs ? reference::CtcVariable::log_probs : reference::CtcVariable::logits;
  problem.layout = targets.ndim() == 2 ? reference::CtcTargets::padded : reference::CtcTargets::concatenated;
  set_options(problem, options);
  const py::gil_scoped_release others_run;
  const auto [low, high] = validation::both(
      problem.activations.size() >= validation::worth_a_thread, [&] { return compute(problem, digits); },
      [&] { return compute(problem, digits + validation::extra_digits); });
  validation::require_same(low.loss, high.loss, digits, "loss");
  validation::require_same(low.gradient, high.gradient, digits, "gradient");
  return {decimals(high.loss, digits), decimals(high.gradient, digits)};
}

}  // namespace

void add_ctc(py::module_& core) {
  core.def("ctc", &ctc, "Decimal texts of loss and gradient; assay.reference.ctc checks the shapes.");
}

}  // namespace assay::python
