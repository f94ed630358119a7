// The options of a problem, of a dict of Python: by name, as reference/{ctc,cce}/options.h list them.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "validation/python/kernels/call.h"

namespace assay::python {

/// The value called `name`. Raises KeyError where there is none, TypeError where it is of another type.
template <class Value>
Value option_of(const pybind11::dict& given, const char* name) {
  const pybind11::object value = given[name];
  try {
    return value.cast<Value>();
  } catch (const pybind11::cast_error&) {
    const char* expected = std::is_same_v<Value, bool>   ? "True or False"
                           : std::is_integral_v<Value>   ? "an integer of 64 bits"
                           : std::is_arithmetic_v<Value> ? "a number"
                                                         : "a string";
    throw pybind11::type_error(std::string(name) + " = " + std::string(pybind11::repr(value)) + ": expected " +
                               expected);
  }
}

/// Sets all options of the problem. Raises as option_of; throws std::invalid_argument for an unknown reduction.
template <class Problem>
void set_options(Problem& problem, const pybind11::dict& given) {
  set_options(problem, [&]<class Value>(const char* name) { return option_of<Value>(given, name); });
}

}  // namespace assay::python
