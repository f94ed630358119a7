// The graph of a formula, which Python traces node by node.
#include <pybind11/stl.h>

#include <utility>

#include "validation/formula/casts.h"
#include "validation/formula/choices.h"
#include "validation/formula/explain.h"
#include "validation/python/bindings.h"
#include "validation/python/formula_calls.h"
#include "validation/python/residues.h"

#include "reference/formula/differentiate.h"

namespace assay::python {
namespace {

namespace py = pybind11;
namespace formula = validation::formula;
using formula::Traced;
using reference::formula::Node;
using reference::formula::Op;

using Indices = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

template <class Element, class Array>
std::vector<Element> vector_of(const Array& array) {
  return {array.data(), array.data() + array.size()};
}

std::int32_t add(Traced& traced, const std::string& op, std::int64_t size, std::vector<std::int32_t> arguments,
                 int line) {
  Node node{reference::formula::op_called(op), size, std::move(arguments)};
  node.line = line;
  return traced.graph.add(std::move(node));
}

std::int32_t add_input(Traced& traced, const std::string& name, std::int64_t size, bool is_whole) {
  Node node{Op::input, size};
  node.is_whole = is_whole;
  node.name = name;
  return traced.graph.add(std::move(node));
}

std::int32_t add_constant(Traced& traced, const Numbers& values) {
  Node node{Op::constant, values.size()};
  node.values = vector_of<double>(values);
  return traced.graph.add(std::move(node));
}

std::int32_t add_gather(Traced& traced, std::vector<std::int32_t> arguments, const Indices& index) {
  Node node{Op::gather, index.size(), std::move(arguments)};
  node.index = vector_of<std::int64_t>(index);
  return traced.graph.add(std::move(node));
}

std::int32_t add_cast(Traced& traced, std::int32_t argument, const std::string& format, const std::string& rounding,
                      bool saturates, const std::string& gradient, int line) {
  Node node{Op::cast, traced.graph.size_of(argument), {argument}};
  node.cast = reference::cast_called(format, rounding, saturates, gradient);
  node.line = line;
  return traced.graph.add(std::move(node));
}

/// Name, bits, whether it has a sign, and the numbers of all codes, NaN included.
py::list small_formats() {
  py::list all;
  for (const auto& format : reference::small_formats) {
    std::vector<double> numbers;
    for (int code = 0; code < format.codes(); ++code) numbers.push_back(format.decoded(code));
    all.append(py::make_tuple(std::string(format.name), format.bits(), format.is_whole(), numbers));
  }
  return all;
}

std::int32_t add_reduction(Traced& traced, const std::string& op, std::int64_t size, std::int32_t argument,
                           std::int64_t inner, int line, bool running) {
  Node node{reference::formula::op_called(op), size, {argument}, inner};
  node.running = running;
  node.line = line;
  return traced.graph.add(std::move(node));
}

std::int32_t add_matmul(Traced& traced, std::int32_t a, std::int32_t b, std::int64_t size, std::int64_t rows,
                        std::int64_t inner, std::int64_t columns, int line) {
  Node node{Op::matmul, size, {a, b}, inner, rows, columns};
  node.line = line;
  return traced.graph.add(std::move(node));
}

/// A take or an add_at.
std::int32_t add_indexed(Traced& traced, const std::string& op, std::int64_t size, std::int32_t argument,
                         std::int32_t at, const Indices& rows, std::int64_t inner, int line) {
  Node node{reference::formula::op_called(op), size, {argument, at}, inner};
  node.index = vector_of<std::int64_t>(rows);
  node.line = line;
  return traced.graph.add(std::move(node));
}

/// Names a value, so that a kernel can declare what it rounds there in addition.
void name(Traced& traced, std::int32_t node, const std::string& name) {
  Node& named = traced.graph.nodes.at(static_cast<std::size_t>(node));
  if (named.name.empty()) named.name = name;
}

/// Ends the trace: the outputs, and the gradients in the inputs `wrt`.
void finish(Traced& traced, std::vector<std::int32_t> outputs, std::vector<std::vector<std::int64_t>> shapes,
            const std::vector<std::int32_t>& wrt) {
  traced.graph.outputs = std::move(outputs);
  traced.shapes = std::move(shapes);
  traced.formula_nodes = static_cast<std::int32_t>(traced.graph.nodes.size());
  traced.gradients = reference::formula::differentiate(traced.graph, wrt);
}

py::dict dict_of(const formula::ExplainedOperation& one) {
  return py::dict(py::arg("expression") = one.expression, py::arg("line") = one.line, py::arg("event") = one.event);
}

py::object dict_of(const std::optional<formula::ExplainedOperation>& one) {
  return one ? py::object(dict_of(*one)) : py::none();
}

/// As assay/_explain.py reads it.
py::dict explain(const Traced& traced, const std::map<std::string, std::vector<double>>& inputs,
                 const std::string& dtype) {
  const formula::FormulaExplanation found = formula::explanation_of(traced, inputs, dtype_called(dtype));
  py::list outputs, origins, losses, decided;
  for (const auto& one : found.outputs)
    outputs.append(py::make_tuple(one.output, one.element, one.computed, one.exact, one.lost_bits));
  for (const auto& one : found.origins)
    origins.append(py::make_tuple(dict_of(one.operation), dict_of(one.underflow), dict_of(one.nan), one.output,
                                  one.element, one.became));
  for (const auto& one : found.losses) {
    py::dict loss = dict_of(one.operation);
    loss["share"] = one.share;
    loss["lost_bits"] = one.lost_bits;
    losses.append(loss);
  }
  for (const auto& one : found.decided) decided.append(dict_of(one));
  return py::dict(py::arg("bits") = found.bits, py::arg("large") = found.large, py::arg("broken") = found.broken,
                  py::arg("outputs") = outputs, py::arg("origins") = origins, py::arg("losses") = losses,
                  py::arg("decided") = decided);
}

/// What the outputs, or the gradients, stand for (reference/number/residue.h): values and residues of each.
std::vector<std::pair<FloatArray, ResidueArray>> followed(const Traced& traced,
                                                          const std::map<std::string, std::vector<double>>& inputs,
                                                          bool are_gradients) {
  const auto values =
      reference::formula::followed_values(traced.graph, [&](const std::string& name) { return inputs.at(name); });
  std::vector<std::pair<FloatArray, ResidueArray>> results;
  for (const auto node : are_gradients ? traced.gradients : traced.graph.outputs)
    results.push_back(arrays_of(values[static_cast<std::size_t>(node)]));
  return results;
}

}  // namespace

void add_traced(py::module_& core) {
  core.def("small_formats", &small_formats);
  py::class_<Traced, std::shared_ptr<Traced>>(core, "Traced", "The graph of a formula at fixed extents.")
      .def(py::init<>())
      .def("add", &add)
      .def("input", &add_input)
      .def("constant", &add_constant)
      .def("gather", &add_gather)
      .def("reduce", &add_reduction)
      .def("cast", &add_cast)
      .def("matmul", &add_matmul)
      .def("indexed", &add_indexed)
      .def("name", &name)
      .def("finish", &finish)
      .def("explain", &explain)
      .def("followed", &followed)
      .def_readonly("shapes", &Traced::shapes)
      .def_property_readonly("positions",
                             [](const Traced& traced) {
                               std::vector<bool> are;
                               for (const auto node : traced.graph.outputs)
                                 are.push_back(formula::argsort_of(traced.graph, node) >= 0);
                               return are;
                             })
      .def_property_readonly("formats",
                             [](const Traced& traced) {
                               std::vector<std::string> names;
                               for (const auto node : traced.graph.outputs) {
                                 const auto* const cast = formula::cast_of(traced.graph, node);
                                 names.emplace_back(cast == nullptr ? "" : cast->format->name);
                               }
                               return names;
                             })
      .def_property_readonly("elements", [](const Traced& traced) { return traced.graph.elements(); });
}

}  // namespace assay::python
