// assay._core: the part of the package that is written in C++.
#include <pybind11/stl.h>

#include <set>
#include <string>

#include "validation/core/fingerprint.h"
#include "validation/core/other_names.h"
#include "validation/python/bindings.h"

PYBIND11_MODULE(_core, core) {
  core.doc() = "Any-precision numbers and references; see the package assay.";
  core.attr("pybind11_version") = pybind11::make_tuple(PYBIND11_VERSION_MAJOR, PYBIND11_VERSION_MINOR);
  assay::python::add_real(core);
  assay::python::add_ctc(core);
  assay::python::add_cce(core);
  assay::python::add_svd(core);
  assay::python::add_formula(core);
  assay::python::add_formula_plugin(core);
  assay::python::add_gradcheck(core);
  assay::python::add_steps(core);
  core.def(
      "fingerprint_of", [](const std::string& file) { return assay::validation::fingerprint_of(file); },
      "A digest of the bytes of a file and of the files that it names; empty where there is none.");
  core.def(
      "ours_for",
      [](const std::string& name, const std::set<std::string>& takes) {
        return assay::validation::ours_for(name, [&](const std::string& ours) { return takes.contains(ours); });
      },
      "What to tell who gives an argument the name that another framework has for it, or None.");
  assay::python::add_kernel_calls(core);
  assay::python::add_residues(core);
}
