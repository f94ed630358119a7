// The parts of the Python module assay._core: any-precision numbers, and the references on float64 arrays.
//
// Nothing here needs the libraries of the project, which are not made to be loaded into another program: the
// references are headers alone. The judge is the program `assay`, a process of its own (assay/_pipe.py).
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <span>
#include <string>
#include <vector>

#include "reference/number/big_float.h"

namespace assay::python {

/// An argument as row-major float64; narrower types are exact in it.
using DoubleArray = pybind11::array_t<double, pybind11::array::c_style>;
using Integers = pybind11::array_t<std::int64_t, pybind11::array::c_style>;

template <class Element, int flags>
std::span<const Element> span_of(const pybind11::array_t<Element, flags>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// `digits` significant decimal digits of each.
inline std::vector<std::string> decimals(const std::vector<reference::BigFloat>& numbers, int digits) {
  std::vector<std::string> texts;
  texts.reserve(numbers.size());
  for (const auto& number : numbers) texts.push_back(number.str(digits));
  return texts;
}

void add_real(pybind11::module_& core);
void add_ctc(pybind11::module_& core);
void add_cce(pybind11::module_& core);
void add_svd(pybind11::module_& core);
void add_formula(pybind11::module_& core);
void add_formula_plugin(pybind11::module_& core);
void add_gradcheck(pybind11::module_& core);
void add_steps(pybind11::module_& core);
void add_kernel_calls(pybind11::module_& core);
void add_residues(pybind11::module_& core);

}  // namespace assay::python
