// Operations that are a formula: the gate of validation/formula, which calls back into Python to trace the formula at
// other extents and to run the kernel.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "validation/core/explanation.h"
#include "validation/core/file_kind.h"
#include "validation/core/report.h"
#include "validation/core/sequence.h"
#include "validation/core/words.h"
#include "validation/formula/declared.h"
#include "validation/formula/few_sizes.h"
#include "validation/formula/judge.h"
#include "validation/formula/mutants.h"
#include "validation/formula/quantisation.h"
#include "validation/formula/relations.h"
#include "validation/formula/run.h"
#include "validation/python/bindings.h"
#include "validation/python/formula_calls.h"
#include "validation/report/gate_text.h"
#include "validation/report/json.h"
#include "validation/report/shard.h"

namespace assay::python {
namespace {

namespace py = pybind11;
namespace formula = validation::formula;
using formula::Case;
using formula::Doubles;
using formula::Subject;
using formula::Traced;

validation::Reach reach_called(const std::string& name) {
  if (name.empty()) return validation::usual_reach;
  for (const auto reach : validation::all_reaches)
    if (name == validation::name_of(reach)) return reach;
  throw std::invalid_argument("reach = '" + name + "': expected none, quick, full or thorough");
}

using Given = std::vector<std::tuple<formula::Extents, Doubles, Doubles>>;  ///< extents, arrays, upstream

py::tuple run(const Subject& subject, int cases, std::uint64_t seed, const std::string& filter,
              const std::string& reach, const Given& given, const py::function& shortened,
              const std::optional<std::pair<std::int64_t, std::int64_t>>& shard, int sizes, double seconds,
              bool explains) {
  validation::GateRun run{
      .options = formula::options_of(cases, seed, reach_called(reach)),
      .filter = filter,
      .digits = subject.digits,
      .shard = shard ? validation::Shard{shard->first, shard->second} : validation::shard_from_environment(),
      .words = reach.empty() ? "" : "--reach " + reach,
      .why = explains ? &validation::why_of : nullptr,
      .seconds = seconds};
  for (const auto& [extents, arrays, upstream] : given)
    run.options.given.push_back({fmt::format("given case {}", run.options.given.size()),
                                 Case{extents, arrays, upstream, {formula::ValueClass::Kind::given}}});
  const auto shorter = [&](const std::string& words) { return shortened(words).cast<std::string>(); };
  validation::Report report;
  report.runs.push_back(interruptible([&] {
    Subject with_sizes = subject;
    if (sizes > 0)
      with_sizes.specification.only = formula::few_extents(subject.specification, subject.trace, sizes, seed);
    return formula::run(with_sizes, run, shorter);
  }));
  report.complete = report.runs[0].is_complete();
  return py::make_tuple(validation::to_json(report), validation::table_text(report.runs[0]));
}

/// Judges the cases in turn, up to the first that fails.
std::pair<std::string, std::string> replay(const Subject& subject, const std::vector<validation::Words>& all) {
  const formula::FormulaGateSubject gated(subject);
  const std::size_t property = gated.index_of(validation::word(all.at(0), "property"));
  validation::Sequence cases;
  for (const auto& words : all) {
    Case c = formula::from_words(subject.specification, words, subject.trace);
    c.seed = validation::parse_word<std::uint64_t>(words, "seed");
    cases.insert(cases.end(), static_cast<std::size_t>(validation::times_of(words)), gated.fitted(property, c));
  }
  return interruptible([&] {
    const auto finding = validation::judge_in_turn(gated, property, cases);
    const bool failed_alone = validation::is_failure(finding.verdict) && cases.size() == 1;
    return std::pair(std::string(validation::name_of(finding.verdict)),
                     finding.explanation + (failed_alone ? gated.remark_on(property, cases[0]) : ""));
  });
}

py::dict truth(const Subject& subject, const formula::Extents& extents, const Doubles& arrays, const Doubles& upstream,
               int digits) {
  const auto truth = formula::truth_of(subject, {extents, arrays, upstream});
  py::dict result;
  const auto texts = [&](const auto& all) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& one : all) rows.push_back(decimals(one, digits));
    return rows;
  };
  result["outputs"] = texts(truth->outputs);
  result["gradients"] = texts(truth->gradients);
  result["output_bounds"] = truth->output_bounds;
  result["gradient_bounds"] = truth->gradient_bounds;
  result["certified"] = truth->is_certified;
  return result;
}

std::vector<std::vector<std::string>> enclosures(const Subject& subject, const formula::Extents& extents,
                                                 const Doubles& arrays, const Doubles& upstream) {
  return formula::enclosures_of(subject, {extents, arrays, upstream});
}

std::vector<std::tuple<std::string, bool, std::string>> mutants(const Subject& subject, int cases, std::uint64_t seed,
                                                                const formula::Extents& sample) {
  std::vector<std::tuple<std::string, bool, std::string>> rows;
  for (const auto& result : formula::judge_mutants(subject, cases, seed, *subject.trace(sample))) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    rows.emplace_back(result.name, result.killed, result.property);
  }
  return rows;
}

formula::Arithmetic arithmetic(const std::string& storage, const std::string& compute, const std::string& accumulate,
                               double exp_error, double input_roundoff, std::map<std::string, double> rounds,
                               bool flushes_subnormals, const std::map<std::string, std::string>& kept,
                               const std::string& products) {
  formula::Arithmetic made{dtype_called(storage), dtype_called(compute), dtype_called(accumulate), exp_error,
                           input_roundoff,        std::move(rounds),     flushes_subnormals};
  for (const auto& [name, type] : kept) made.kept[name] = formula::kept_called(type);
  if (!products.empty()) made.products = formula::kept_called(products);
  return made;
}

formula::Kind kind_called(const std::string& name) {
  constexpr std::string_view names[] = {"real",  "flag",    "index", "unit", "positive",
                                        "decay", "nonzero", "code",  "any",  "positive_code"};
  const auto* const found = std::ranges::find(names, name);
  if (found != std::end(names)) return static_cast<formula::Kind>(found - std::begin(names));
  throw std::invalid_argument(
      "kind '" + name + "': expected real, flag, index, unit, positive, decay, nonzero, code, any or positive_code");
}

/// Name, dimensions, kind, the extent of an index or the format of codes, and whether elements may be -inf and NaN.
formula::Input input_of(const py::tuple& one) {
  const auto may_be = one[4].cast<std::pair<bool, bool>>();
  formula::Input input{one[0].cast<std::string>(),
                       one[1].cast<std::vector<std::string>>(),
                       kind_called(one[2].cast<std::string>()),
                       one[3].cast<std::string>(),
                       may_be.first,
                       may_be.second};
  if (!formula::is_code(input.kind)) return input;
  input.format = reference::cast_called(input.extent, "nearest-even", true).format;
  input.extent.clear();
  return input;
}

/// The types of inputs and of "output0", ... that are not the type of the others.
void set_types(Subject& subject, const std::map<std::string, std::string>& types) {
  for (const auto& [name, type] : types) {
    const validation::Dtype dtype = dtype_called(type);
    subject.arithmetic.storages[name] = dtype;
    const auto input = std::ranges::find(subject.specification.inputs, name, &formula::Input::name);
    if (input != subject.specification.inputs.end())
      input->dtype = dtype;
    else
      subject.specification.output_dtypes[std::stoul(name.substr(std::string_view("output").size()))] = dtype;
  }
}

void set_far(Subject& subject, const std::string& extent, const py::object& forward, const py::object& backward,
             int bits) {
  subject.far = formula::FarKernels{extent, kernel_of(forward), kernel_of(backward), bits};
}

}  // namespace

void add_formula(py::module_& core) {
  add_traced(core);
  core.def("formula_relations", [] {
    std::vector<std::string> names;
    for (const auto& [name, relation] : formula::relations()) names.push_back(name);
    return names;
  });
  core.def("require_npz", [](const std::string& path) {
    try {
      validation::require_npz(path);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(path + ": " + error.what());
    }
  });
  py::class_<Subject>(core, "FormulaSubject", "A formula, its kernel and what the kernel declares.")
      .def(py::init([](const std::string& name, const std::vector<py::tuple>& inputs,
                       const std::vector<std::string>& extents, const std::map<std::string, std::int64_t>& limits,
                       const std::vector<std::pair<std::string, std::string>>& declared, bool empty,
                       const py::function& trace, const std::string& kernel_name, const py::object& forward,
                       const py::object& backward, const py::object& afresh, const py::tuple& types, int digits,
                       const py::object& road, const py::object& backward_road) {
        Subject subject;
        subject.specification = {name, {}, extents, limits, {}, empty};
        subject.specification.work_of_node = 200;  // measured, of Python
        for (const auto& one : inputs) subject.specification.inputs.push_back(input_of(one));
        for (const auto& [property, extent] : declared) subject.specification.declared.push_back({property, extent});
        subject.trace = trace_of(trace);
        subject.road = trace_of(road);
        subject.backward_road = trace_of(backward_road);
        subject.kernel_name = kernel_name;
        subject.forward = kernel_of(forward);
        subject.backward = kernel_of(backward);
        subject.arithmetic = arithmetic(
            types[0].cast<std::string>(), types[1].cast<std::string>(), types[2].cast<std::string>(),
            types[3].cast<double>(), types[4].cast<double>(), types[5].cast<std::map<std::string, double>>(),
            types[6].cast<bool>(), types[7].cast<std::map<std::string, std::string>>(), types[8].cast<std::string>());
        subject.digits = digits;
        subject.fresh = fresh_of(afresh);
        return subject;
      }))
      .def_readwrite("same_bits", &Subject::same_bits)
      .def("set_far", &set_far)
      .def_readwrite("takes_threads", &Subject::takes_threads)
      .def_readwrite("takes_layouts", &Subject::takes_layouts)
      .def("set_refusals",
           [](Subject& subject, const py::object& missing) { subject.missing_refusals = refusals_of(missing); })
      .def("set_followed",
           [](Subject& subject, const py::object& function) { subject.followed = followed_of(function); })
      .def("set_types", &set_types)
      .def("set_sums",
           [](Subject& subject, bool int32_sums, double roundoff, std::int64_t length) {
             subject.arithmetic.int32_sums = int32_sums;
             subject.arithmetic.partial = {roundoff, length};
           })
      .def("find_casts", &formula::find_casts)
      .def("set_sizes",
           [](Subject& subject, const formula::Extents& unclaimed, const formula::Extents& least,
              const formula::Extents& multiple, const std::map<std::string, std::vector<std::int64_t>>& listed) {
             subject.specification.unclaimed = unclaimed;
             subject.specification.least = least;
             subject.specification.multiple = multiple;
             subject.specification.listed = listed;
           })
      .def("set_layouts",
           [](Subject& subject, const std::vector<formula::Extents>& sizes) { subject.specification.layouts = sizes; })
      .def("set_ways",
           [](Subject& subject, const std::vector<std::tuple<std::string, bool, bool>>& forward,
              const std::vector<std::tuple<std::string, bool, bool>>& backward) {
             for (const auto& [words, upstream, inputs] : forward)
               subject.specification.forward_ways.push_back({words, upstream, inputs});
             for (const auto& [words, upstream, inputs] : backward)
               subject.specification.backward_ways.push_back({words, upstream, inputs});
           })
      .def("require_names",
           [](const Subject& subject, const formula::Extents& at) {
             std::vector<std::shared_ptr<const Traced>> formulas;
             for (const auto& trace : {subject.trace, subject.road, subject.backward_road})
               if (trace) formulas.push_back(trace(at));
             formula::require_names(formulas, subject.arithmetic);
           })
      .def("run", &run)
      .def("replay", &replay)
      .def("truth", &truth)
      .def("enclosures", &enclosures)
      .def("mutants", &mutants);
}

}  // namespace assay::python
