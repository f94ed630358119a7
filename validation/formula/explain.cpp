#include "validation/formula/explain.h"

#include <algorithm>
#include <cmath>

#include "reference/number/big_float.h"

namespace assay::validation::formula {
namespace {

/// One of each node's.
std::vector<ExplainedOperation> decided_by_rounding(const Computed& computed) {
  std::vector<ExplainedOperation> decided;
  for (std::size_t n = 0; n < computed.values().size(); ++n) {
    const Op op = computed.graph().nodes[n].op;
    if (op != Op::less && op != Op::less_equal && op != Op::equal) continue;
    const auto& errors = computed.errors()[n];
    const auto other = std::ranges::find_if(errors, [](double error) { return std::abs(error) > 0; });
    if (other != errors.end())
      decided.push_back(computed.operation(n, static_cast<std::size_t>(other - errors.begin())));
  }
  return decided;
}

}  // namespace

FormulaExplanation explanation_of(const Traced& traced, const InputArrays& inputs, Dtype dtype) {
  constexpr int exact_digits = 60;
  const reference::PrecisionScope scope(exact_digits);
  Graph formula;  // without the gradient
  formula.nodes.assign(traced.graph.nodes.begin(), traced.graph.nodes.begin() + traced.formula_nodes);
  formula.outputs = traced.graph.outputs;
  const Computed computed(formula, inputs, dtype);
  return {losses_of(computed), origins_of(computed), computed.bits(), decided_by_rounding(computed)};
}

}  // namespace assay::validation::formula
