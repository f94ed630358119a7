// Plug-ins for operations that are a formula (validation/plugin/assay_formula.h), called as those of built-in operations
// are: in a process of their own, each array on pages of its own (validation/transport/library).
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "validation/core/far_pages.h"
#include "validation/core/followed_run.h"
#include "validation/core/printable.h"
#include "validation/core/support.h"
#include "validation/python/bindings.h"
#include "validation/python/residues.h"
#include "validation/transport/library/call_ends.h"
#include "validation/transport/library/plugin.h"

namespace assay::python {
namespace {

namespace py = pybind11;
using validation::FarArray;
using validation::FarPages;
using validation::transport::Array;
using validation::transport::max_slots;
using validation::transport::Plugin;
using validation::transport::Request;

/// Its name, its elements, and their type as assay_formula.h numbers it.
using Named = std::tuple<std::string, py::array, std::int32_t>;

/// By the size of the inputs, so that a failure comes again.
std::int32_t threads_for(const std::vector<Named>& inputs) {
  py::ssize_t elements = 0;
  for (const auto& named : inputs) elements += std::get<1>(named).size();
  return static_cast<std::int32_t>(1 + elements % 4);
}

/// The array with all that lies between its elements.
Array array_of(const Named& named, bool is_output) {
  const auto& [name, elements, dtype] = named;
  py::array memory = elements;
  py::ssize_t lowest = 0, end = memory.size() > 0 ? memory.itemsize() : 0;
  for (py::ssize_t axis = 0; axis < memory.ndim() && memory.size() > 0; ++axis) {
    const py::ssize_t last = memory.strides(axis) * (memory.shape(axis) - 1);
    (last < 0 ? lowest : end) += last;
  }
  Array array{.name = name.c_str(),
              .input = static_cast<const std::byte*>(memory.data()) + lowest,
              .output = is_output ? static_cast<std::byte*>(memory.mutable_data()) + lowest : nullptr,
              .is_output = is_output,
              .bytes = static_cast<std::size_t>(end - lowest),
              .element = static_cast<std::size_t>(memory.itemsize())};
  array.dtype = dtype;
  array.shape.assign(memory.shape(), memory.shape() + memory.ndim());
  for (py::ssize_t axis = 0; axis < memory.ndim(); ++axis)
    array.strides.push_back(memory.strides(axis) / memory.itemsize());
  array.first = static_cast<std::size_t>(-lowest);
  return array;
}

/// An array's rows, far apart in one of `rows` rows that is past 2^32 elements.
class FarRows {
 public:
  FarRows(Array& array, std::int64_t rows) : own_(array), far_(far_of(array, rows)), pages_(far_) {
    for (std::size_t i = 0; i < far_.own.count; ++i)
      std::memcpy(far_row(i), own_.input + i * far_.own.size, far_.own.size);
    array.far = far_;
    array.bytes = far_.bytes;
    array.shape.front() = rows;
    array.strides.clear();
    array.input = pages_.data();
    if (array.is_output) array.output = pages_.data();
  }

  void take_results() const {
    if (!own_.is_output) return;
    for (std::size_t i = 0; i < far_.own.count; ++i)
      std::memcpy(own_.output + i * far_.own.size, far_row(i), far_.own.size);
  }

 private:
  /// The first row is the first of all, the last one the last.
  static FarArray far_of(const Array& array, std::int64_t rows) {
    const auto count = static_cast<std::size_t>(array.shape.front()), all = static_cast<std::size_t>(rows);
    const std::size_t row = array.bytes / count;
    return {all * row, {.size = row, .stride = (all - 1) / (count - 1) * row, .count = count}};
  }
  std::byte* far_row(std::size_t i) const { return pages_.data() + far_.own.begin(i); }

  Array own_;
  FarArray far_;
  FarPages pages_;
};

/// In a far call, the arrays that get so many rows.
using Spread = std::pair<std::set<std::string>, std::int64_t>;

void require_room(const std::string& operation, const std::vector<Named>& all) {
  const std::size_t longest = sizeof Request::operation - 1, name_length = 63;
  if (all.size() > max_slots)
    throw std::invalid_argument(fmt::format("{} arrays: expected at most {} of a plug-in", all.size(), max_slots));
  if (operation.size() > longest)
    throw std::invalid_argument(fmt::format("operation {}: expected a name of at most {} bytes", operation, longest));
  for (const auto& [name, elements, dtype] : all)
    if (name.size() > name_length || elements.ndim() > 8)
      throw std::invalid_argument(fmt::format(
          "array {}: expected a name of at most {} bytes and at most 8 axes, of a plug-in", name, name_length));
}

/// While a plug-in computes, an interrupt ends the call.
bool is_interrupted() {
  return PyErr_CheckSignals() != 0;
}

/// Fills the outputs; a library that uses OpenMP does so with `threads`, or if that is 0 with one to four. Returns how
/// the call ended, and why: "ok", "unsupported", "refused" or "failed".
std::pair<std::string, std::string> call(const Plugin& plugin, const std::string& operation,
                                         const std::vector<Named>& inputs, const std::vector<Named>& outputs,
                                         std::int32_t threads, const std::optional<Spread>& spread) {
  std::vector<Named> all = inputs;
  all.insert(all.end(), outputs.begin(), outputs.end());
  require_room(operation, all);
  Request request;
  operation.copy(request.operation.data(), request.operation.size() - 1);
  request.threads = threads > 0 ? threads : threads_for(inputs);
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < all.size(); ++i) arrays.push_back(array_of(all[i], i >= inputs.size()));
  try {
    std::deque<FarRows> far;
    for (Array& array : arrays)
      if (spread && spread->first.contains(array.name)) far.emplace_back(array, spread->second);
    plugin.call(request, arrays, 0);
    for (const FarRows& one : far) one.take_results();
    return {"ok", ""};
  } catch (const validation::Unsupported& reason) {
    return {"unsupported", reason.reason()};
  } catch (const std::invalid_argument& refusal) {
    return {"refused", validation::printable(refusal.what())};
  } catch (const std::system_error& none) {
    return {"unsupported", none.what()};
  } catch (const std::runtime_error& failure) {
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    return {"failed", validation::printable(failure.what())};
  }
}

/// As call, and the residues of each output's elements (residues.h). None if the library is not instrumented.
std::tuple<std::string, std::string, std::vector<ResidueArray>> call_followed(const Plugin& plugin,
                                                                              const std::string& operation,
                                                                              const std::vector<Named>& inputs,
                                                                              const std::vector<Named>& outputs,
                                                                              std::int32_t threads) {
  validation::FollowedRun run;
  const auto [status, says] = call(plugin, operation, inputs, outputs, threads, {});
  std::vector<ResidueArray> residues;
  for (const auto& [name, elements, dtype] : outputs) {
    std::vector<reference::Followed> numbers;
    const auto* const bytes = static_cast<const std::byte*>(elements.data());
    for (py::ssize_t i = 0; run.follows() && i < elements.size(); ++i)
      numbers.emplace_back(0.0, run.residue_at(bytes + i * elements.itemsize(), 0));
    residues.push_back(arrays_of(numbers).second);
  }
  return {status, says, residues};
}

}  // namespace

void add_formula_plugin(py::module_& core) {
  py::class_<Plugin>(core, "FormulaPlugin", "A plug-in's function assay_forward or assay_backward, in its own process.")
      .def(py::init([](const std::string& path, const std::string& entry, double seconds) {
        validation::transport::set_time_limit(seconds);
        validation::transport::end_calls_when(is_interrupted);
        return std::make_unique<Plugin>(path, entry, std::vector<std::string>());
      }))
      .def_property_readonly("uses_openmp", [](const Plugin& plugin) { return plugin.loaded().uses_openmp != 0; })
      .def_property_readonly("is_instrumented",
                             [](const Plugin& plugin) { return plugin.loaded().is_instrumented != 0; })
      .def("call", &call, py::arg("operation"), py::arg("inputs"), py::arg("outputs"), py::arg("threads") = 0,
           py::arg("spread") = py::none())
      .def("followed", &call_followed, py::arg("operation"), py::arg("inputs"), py::arg("outputs"),
           py::arg("threads") = 0);
}

}  // namespace assay::python
