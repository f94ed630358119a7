// assay._core: the part of the package that is written in C++.
#include "validation/python/bindings.h"

PYBIND11_MODULE(_core, core) {
  core.doc() = "Any-precision numbers and references; see the package assay.";
  assay::python::add_real(core);
  assay::python::add_ctc(core);
  assay::python::add_cce(core);
  assay::python::add_svd(core);
  assay::python::add_formula(core);
  assay::python::add_gradcheck(core);
  assay::python::add_steps(core);
}
