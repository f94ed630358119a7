// Python functions that a formula's gate calls back: those that trace the formula, and kernels.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "validation/formula/run.h"

namespace assay::python {

/// What a kernel may not answer for: an interrupt, which ends the run. It is no std::exception, which would be a
/// verdict.
struct Interrupt {
  pybind11::error_already_set error;
};

validation::formula::Trace trace_of(const pybind11::object& function);

/// Calls a Python function on a case, which says ("done", results), ("unsupported", why) or ("failed", why).
validation::formula::Kernel kernel_of(const pybind11::object& function);

/// The kernels that `afresh` returns in the place of a subject's; none where it is None.
decltype(validation::formula::Subject::fresh) fresh_of(const pybind11::object& afresh);

/// A kernel's check of its arguments: of extents, arrays and upstreams, the missing refusals, or None.
decltype(validation::formula::Subject::missing_refusals) refusals_of(const pybind11::object& function);

/// The results of a kernel that is followed: of a case, ("followed", [(values, residues), ...]) or ("left", why).
decltype(validation::formula::Subject::followed) followed_of(const pybind11::object& function);

/// Passes interrupts on to Python.
template <class Work>
auto interruptible(const Work& work) {
  try {
    return work();
  } catch (const Interrupt& interrupt) {
    throw pybind11::error_already_set(interrupt.error);
  }
}

/// The graph of a formula: formula_traced.cpp.
void add_traced(pybind11::module_& core);

/// Throws std::invalid_argument for other names.
validation::Dtype dtype_called(const std::string& name);

}  // namespace assay::python
