// The any-precision linear cross-entropy reference on float64 arrays, at two precisions that must agree.
#include <pybind11/stl.h>

#include <array>
#include <stdexcept>

#include "reference/cce/options.h"
#include "reference/cce/outcome.h"
#include "validation/core/truth.h"
#include "validation/python/bindings.h"
#include "validation/python/kernels/options.h"

namespace assay::python {
namespace {

namespace py = pybind11;
using reference::BigFloat;
using reference::CceOutcome;
using reference::CceProblem;

CceOutcome<BigFloat> compute(const CceProblem<double>& problem, int digits) {
  const reference::PrecisionScope scope(digits);
  return reference::cce_outcome<BigFloat>(problem);
}

/// Upstream is float32 in the statement of a problem; what is not exact in it is refused.
std::vector<float> exact_floats(const DoubleArray& upstream) {
  std::vector<float> floats;
  for (const double value : span_of(upstream)) {
    floats.push_back(static_cast<float>(value));
    if (static_cast<double>(floats.back()) != value && value == value)
      throw std::invalid_argument("upstream = " + std::to_string(value) +
                                  ": expected a number that is exact in float32");
  }
  return floats;
}

using Texts = std::vector<std::string>;

std::array<Texts, 4> cce(const DoubleArray& hidden, const DoubleArray& weight, const DoubleArray& bias,
                         const Integers& targets, const DoubleArray& upstream, const py::dict& options, int digits) {
  const std::vector<float> factors = exact_floats(upstream);
  CceProblem<double> problem;
  problem.N = hidden.shape(0);
  problem.H = hidden.shape(1);
  problem.V = weight.shape(0);
  problem.hidden = span_of(hidden);
  problem.weight = span_of(weight);
  problem.bias = span_of(bias);
  problem.targets = span_of(targets);
  problem.upstream = factors;
  set_options(problem, options);
  const py::gil_scoped_release others_run;
  const auto low = compute(problem, digits), high = compute(problem, digits + validation::extra_digits);
  validation::require_same(low.loss, high.loss, digits, "loss");
  validation::require_same(low.dhidden, high.dhidden, digits, "dhidden");
  validation::require_same(low.dweight, high.dweight, digits, "dweight");
  validation::require_same(low.dbias, high.dbias, digits, "dbias");
  return {decimals(high.loss, digits), decimals(high.dhidden, digits), decimals(high.dweight, digits),
          decimals(high.dbias, digits)};
}

}  // namespace

void add_cce(py::module_& core) {
  core.def("cce", &cce, "Decimal texts of loss, dhidden, dweight and dbias; assay.reference.cce checks the shapes.");
}

}  // namespace assay::python
