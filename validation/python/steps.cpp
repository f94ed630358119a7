// assay._core.ctc_steps and its like: JSON in, JSON out. assay/steps.py gives them Python's types.
#include <string>
#include <string_view>

#include "validation/python/bindings.h"
#include "validation/steps/steps.h"

namespace assay::python {

void add_steps(pybind11::module_& core) {
  using Steps = std::string (*)(std::string_view);
  const auto add = [&core](const char* name, Steps steps) {
    core.def(name, steps, pybind11::arg("request"), pybind11::call_guard<pybind11::gil_scoped_release>());
  };
  add("ctc_steps", &validation::ctc_steps);
  add("alignment_steps", &validation::alignment_steps);
  add("log_sum_exp_steps", &validation::log_sum_exp_steps);
  add("cce_steps", &validation::cce_steps);
  add("jacobi_steps", &validation::jacobi_steps);
  add("ctc_bounds", &validation::ctc_bounds);
}

}  // namespace assay::python
