// NumPy arrays as the spans that the kernels take. The arrays are row-major and come with the name of their type, since
// NumPy has no bfloat16: such an array holds its 16 bits, as uint16.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

#include "metal/cpu/any_array.h"
#include "metal/cpu/half.h"
#include "reference/refuse.h"
#include "validation/python/kernels/call.h"

namespace assay::python {

/// The elements of `array`. Throws std::invalid_argument unless it is row-major with elements of this size, and
/// writable where Element is not const. By the buffer protocol, which is the same for every version of NumPy.
template <class Element>
std::span<Element> elements(const char* name, const pybind11::buffer& array) {
  using reference::detail::refuse;
  const pybind11::buffer_info info = array.request();
  if (info.itemsize != static_cast<pybind11::ssize_t>(sizeof(Element)))
    refuse(name, " has elements of ", info.itemsize, " bytes: expected ", sizeof(Element));
  if (PyBuffer_IsContiguous(info.view(), 'C') == 0) refuse(name, " has gaps: expected a row-major array");
  if (!std::is_const_v<Element> && info.readonly) refuse(name, " is read-only: expected an array to write to");
  return {static_cast<Element*>(info.ptr), static_cast<std::size_t>(info.size)};
}

/// The shape of `array`. Throws std::invalid_argument unless it has as many axes.
template <std::size_t axes>
std::array<std::int64_t, axes> shape_of(const char* name, const pybind11::buffer& array) {
  const pybind11::buffer_info info = array.request();
  if (info.shape.size() != axes) reference::detail::refuse(name, " has ", info.shape.size(), " axes: expected ", axes);
  std::array<std::int64_t, axes> shape{};
  std::ranges::copy(info.shape, shape.begin());
  return shape;
}

/// What elements_of.operator()<Element>() returns for the type that `dtype` names. Throws std::invalid_argument for the
/// name of another type.
template <class Any, class ElementsOf>
Any typed(const char* name, const std::string& dtype, const ElementsOf& elements_of) {
  Any any;
  const auto take = [&]<class Element>(std::span<Element>) {
    if (dtype != metal::dtype_name<std::remove_const_t<Element>>()) return false;
    any = elements_of.template operator()<Element>();
    return true;
  };
  const auto take_one = [&]<class... Spans>(std::variant<Spans...>*) { return (take(Spans()) || ...); };
  if (!take_one(static_cast<Any*>(nullptr)))
    reference::detail::refuse(name, " is ", dtype, ": no kernel has this type");
  return any;
}

/// The elements of `array`, which is of the type that `dtype` names.
template <class Any>
Any typed_elements(const char* name, const pybind11::buffer& array, const std::string& dtype) {
  return typed<Any>(name, dtype, [&]<class Element>() { return elements<Element>(name, array); });
}

/// The type alone, for an array that is elsewhere.
template <class Any>
Any no_elements(const char* name, const std::string& dtype) {
  return typed<Any>(name, dtype, []<class Element>() { return std::span<Element>(); });
}

inline std::span<const std::int64_t> integers(const char* name, const pybind11::buffer& array) {
  return elements<const std::int64_t>(name, array);
}

/// While it exists, other threads of Python run, and the arithmetic is the default.
class Computing {
  pybind11::gil_scoped_release others_run_;
  DefaultArithmetic arithmetic_;
};

void add_ctc_kernel(pybind11::module_& kernels);
void add_cce_kernel(pybind11::module_& kernels);
void add_svd_kernel(pybind11::module_& kernels);

}  // namespace assay::python
