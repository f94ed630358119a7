// The gradient of a Python function, checked by validation/gradcheck: at any precision where the function computes with
// Reals, as a black box where it does not.
#include <pybind11/stl.h>

#include <exception>
#include <stdexcept>
#include <utility>

#include "validation/core/dtype.h"
#include "validation/gradcheck/black_box.h"
#include "validation/gradcheck/exact.h"
#include "validation/python/bindings.h"

namespace assay::python {
namespace {

namespace py = pybind11;
using reference::BigFloat;
using validation::Dtype;

/// Calls into Python. An interrupt, which is no Exception there, ends the whole check and not only this call.
class Caller {
 public:
  explicit Caller(py::function function) : function_(std::move(function)) {}

  template <class Result, class Argument>
  Result call(const Argument& argument) {
    if (interrupt_) throw std::runtime_error("interrupted");
    try {
      return py::cast<Result>(function_(argument));
    } catch (const py::error_already_set& error) {
      if (!error.matches(PyExc_Exception)) interrupt_ = std::current_exception();
      throw std::runtime_error(error.what());
    }
  }

  /// Raises the interrupt if there was one.
  void conclude() const {
    if (interrupt_) std::rethrow_exception(interrupt_);
  }

 private:
  py::function function_;
  std::exception_ptr interrupt_;
};

/// A copy as an array. The stride is stated: a pybind11 before 2.12 reads the size of an element from NumPy 1's record
/// of a type, where NumPy 2 has 0.
DoubleArray array_of(std::span<const double> numbers) {
  return DoubleArray({static_cast<py::ssize_t>(numbers.size())}, {static_cast<py::ssize_t>(sizeof(double))},
                     numbers.data());
}

Dtype dtype_of(const std::string& name) {
  for (std::size_t i = 0; i < validation::dtype_names().size(); ++i)
    if (validation::dtype_names()[i] == name) return static_cast<Dtype>(i);
  throw std::invalid_argument("dtype '" + name + "': expected float32, float16, bfloat16 or float64");
}

std::pair<std::string, std::string> in_words(const validation::GradcheckRecord& record) {
  return {to_json(record), to_text(record)};
}

std::pair<std::string, std::string> check_exact(py::function f, const DoubleArray& x, const DoubleArray& gradient,
                                                std::vector<std::int64_t> shape, std::string subject, int digits,
                                                const std::string& dtype, double tolerance, std::uint64_t seed) {
  Caller caller(std::move(f));
  const validation::ExactOptions options{.subject = std::move(subject),
                                         .digits = digits,
                                         .dtype = dtype_of(dtype),
                                         .tolerance = tolerance,
                                         .seed = seed,
                                         .shape = std::move(shape)};
  const auto call = [&](const std::vector<BigFloat>& at) { return caller.call<BigFloat>(at); };
  const auto record = validation::check_exact(call, span_of(x), span_of(gradient), options);
  caller.conclude();
  return in_words(record);
}

std::pair<std::string, std::string> check_black_box(py::function f, const DoubleArray& x, const DoubleArray& gradient,
                                                    std::string subject, const std::string& dtype,
                                                    const std::string& gradient_dtype, double tolerance,
                                                    std::uint64_t seed) {
  Caller caller(std::move(f));
  validation::BlackBoxOptions options;
  options.subject = std::move(subject);
  options.dtype = dtype_of(dtype);
  options.gradient_dtype = dtype_of(gradient_dtype);
  if (tolerance > 0) options.tolerance = tolerance;
  options.seed = seed;
  const auto call = [&](std::span<const double> at) { return caller.call<double>(array_of(at)); };
  const auto record = validation::check_black_box(call, span_of(x), span_of(gradient), options);
  caller.conclude();
  return in_words(record);
}

}  // namespace

void add_gradcheck(py::module_& core) {
  core.def("check_exact", &check_exact, "The record as JSON and as text; see assay.gradcheck.");
  core.def("check_black_box", &check_black_box, "The record as JSON and as text; see assay.gradcheck.");
}

}  // namespace assay::python
