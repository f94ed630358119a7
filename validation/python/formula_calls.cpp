#include "validation/python/formula_calls.h"

#include <pybind11/stl.h>

#include "validation/core/kernel_died.h"
#include "validation/core/support.h"
#include "validation/python/residues.h"

namespace assay::python {

namespace py = pybind11;
namespace formula = validation::formula;
using formula::Case;
using formula::Doubles;
using formula::Subject;
using formula::Traced;

formula::Trace trace_of(const py::object& function) {
  if (function.is_none()) return {};
  return [function](const formula::Extents& at) {
    try {
      return function(at).cast<std::shared_ptr<Traced>>();
    } catch (const py::error_already_set& error) {
      if (error.matches(PyExc_Exception)) throw;
      throw Interrupt{error};
    }
  };
}

namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

py::list numpy_arrays(const Doubles& all) {
  py::list arrays;
  for (const auto& one : all) arrays.append(Numbers(std::ssize(one), one.data()));
  return arrays;
}

Doubles doubles_of(const py::list& arrays) {
  Doubles all;
  for (const auto& one : arrays) {
    const auto numbers = one.cast<Numbers>();
    all.emplace_back(numbers.data(), numbers.data() + numbers.size());
  }
  return all;
}

}  // namespace

formula::Kernel kernel_of(const py::object& function) {
  if (function.is_none()) return {};
  return [function](const Case& c) {
    py::tuple said;
    try {
      said = function(c.extents, numpy_arrays(c.arrays), numpy_arrays(c.upstream), c.layout, c.threads, c.way);
    } catch (const py::error_already_set& error) {
      throw Interrupt{error};
    }
    const auto outcome = said[0].cast<std::string>();
    if (outcome == "unsupported") throw validation::Unsupported(said[1].cast<std::string>());
    if (outcome != "done") throw validation::KernelDied(said[1].cast<std::string>());
    return doubles_of(said[1]);
  };
}

decltype(Subject::fresh) fresh_of(const py::object& afresh) {
  if (afresh.is_none()) return {};
  return [afresh](const Subject& subject) {
    const py::tuple kernels = afresh();
    auto made = std::make_shared<Subject>(subject);
    made->forward = kernel_of(kernels[0]);
    made->backward = kernel_of(kernels[1]);
    return made;
  };
}

decltype(Subject::missing_refusals) refusals_of(const py::object& function) {
  if (function.is_none()) return {};
  return [function](const Case& c) {
    try {
      return function(c.extents, c.arrays, c.upstream).cast<std::optional<std::vector<std::string>>>();
    } catch (const py::error_already_set& error) {
      throw Interrupt{error};
    }
  };
}

decltype(Subject::followed) followed_of(const py::object& function) {
  if (function.is_none()) return {};
  return [function](const Case& c) {
    Subject::FollowedResults results;
    try {
      const py::tuple said = function(c.extents, c.arrays, c.upstream);
      if (said[0].cast<std::string>() == "left")
        results.left = said[1].cast<std::string>();
      else
        for (const auto& one : said[1].cast<std::vector<std::pair<FloatArray, ResidueArray>>>())
          results.results.push_back(followed_numbers(one.first, one.second));
    } catch (const py::error_already_set& error) {
      throw Interrupt{error};
    }
    return results;
  };
}

validation::Dtype dtype_called(const std::string& name) {
  for (std::size_t i = 0; i < validation::dtype_names().size(); ++i)
    if (validation::dtype_names()[i] == name) return static_cast<validation::Dtype>(i);
  throw std::invalid_argument("dtype '" + name + "': expected float32, float16, bfloat16 or float64");
}

}  // namespace assay::python
