// An operation of one's own in C++: a formula that is a template over the number type gets truth, gradient, bounds,
// cases and the gate. tests/validation/formula/operation_test.cpp is a whole example.
//
//   struct RmsNorm {
//     template <class Number>
//     Arrays<Number> operator()(const Extents& extents, const Arrays<Number>& inputs) const;
//   };
//   Subject subject = subject_of({"rms_norm", {{"x", {"N", "D"}}}, {"N", "D"}}, {{"N", "D"}}, RmsNorm());
//   subject.forward = my_kernel;   // Doubles(const Case&): the outputs for c.arrays
//   fmt::print("{}", table_text(run(subject, {.options = options_of(100)})));
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/formula/differentiate.h"
#include "reference/formula/trace.h"
#include "validation/formula/judge.h"
#include "validation/formula/run.h"
#include "validation/report/gate_text.h"

namespace assay::validation::formula {

template <class Number>
using Arrays = std::vector<std::vector<Number>>;  ///< row-major, one for each input or output

/// The graph of `formula` at these extents, with its gradients. `outputs` are the dimensions of each output. Throws
/// std::invalid_argument where the formula returns other sizes, std::domain_error where it branches on data.
template <class Formula>
std::shared_ptr<const Traced> traced(const Specification& specification,
                                     const std::vector<std::vector<std::string>>& outputs, const Formula& formula,
                                     const Extents& extents) {
  using reference::formula::Variable;
  auto result = std::make_shared<Traced>();
  Graph& graph = result->graph;
  Arrays<Variable> inputs;
  std::vector<std::int32_t> wrt;
  for (const Input& input : specification.inputs) {
    std::int32_t node = 0;
    inputs.push_back(Variable::input(graph, input.name, elements_of(shape_of(input, extents)), node));
    if (has_gradient(input.kind)) wrt.push_back(node);
  }
  const Arrays<Variable> values = formula(extents, inputs);
  if (values.size() != outputs.size())
    throw std::invalid_argument("the formula returns " + std::to_string(values.size()) + " arrays: expected " +
                                std::to_string(outputs.size()));
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    result->shapes.push_back(shape_of({"output", outputs[k]}, extents));
    if (std::ssize(values[k]) != elements_of(result->shapes[k]))
      throw std::invalid_argument("output " + std::to_string(k) + " has " + std::to_string(values[k].size()) +
                                  " elements: expected " + std::to_string(elements_of(result->shapes[k])));
    graph.outputs.push_back(Variable::join(graph, values[k]));
  }
  result->formula_nodes = static_cast<std::int32_t>(graph.nodes.size());
  result->gradients = reference::formula::differentiate(graph, wrt);
  return result;
}

/// An operation whose formula is traced once for each set of extents. What a kernel declares is yet to be set.
template <class Formula>
Subject subject_of(const Specification& specification, const std::vector<std::vector<std::string>>& outputs,
                   const Formula& formula) {
  Subject subject;
  subject.specification = specification;
  subject.kernel_name = "kernel";
  const auto known = std::make_shared<std::map<Extents, std::shared_ptr<const Traced>>>();
  subject.trace = [specification, outputs, formula, known](const Extents& extents) {
    constexpr std::size_t at_most = 300;
    if (known->size() > at_most) known->clear();
    auto& one = (*known)[extents];
    if (!one) one = traced(specification, outputs, formula, extents);
    return one;
  };
  return subject;
}

}  // namespace assay::validation::formula
