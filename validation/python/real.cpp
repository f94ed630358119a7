// Real: a number of any precision, such that NumPy computes with object arrays of it. NumPy's functions of an object
// array call the method of their name: np.exp(x) calls x.exp().
#include <fmt/format.h>
#include <pybind11/operators.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "reference/number/precision.h"
#include "validation/python/bindings.h"

namespace assay::python {
namespace {

namespace py = pybind11;
using reference::BigFloat;
using reference::PrecisionScope;

/// Sets the precision between __enter__ and __exit__.
class Precision {
 public:
  explicit Precision(int digits) : digits_(digits) {}
  void enter() { scope_ = std::make_unique<PrecisionScope>(digits_); }
  void exit() { scope_.reset(); }

 private:
  int digits_;
  std::unique_ptr<PrecisionScope> scope_;
};

/// From an integer of any size, a decimal.Decimal, a float, or text.
BigFloat real_of(const py::object& value) {
  if (py::isinstance<BigFloat>(value)) return value.cast<BigFloat>();
  if (PyFloat_Check(value.ptr()) != 0) return BigFloat(value.cast<double>());
  if (PyLong_Check(value.ptr()) != 0 || py::isinstance<py::str>(value) ||
      py::isinstance(value, py::module_::import("decimal").attr("Decimal")))
    return BigFloat(py::str(value).cast<std::string>());
  const int has_float = PyObject_HasAttrString(value.ptr(), "__float__");
  if (has_float != 0) return BigFloat(py::float_(value).cast<double>());
  throw py::type_error(
      fmt::format("Real({}): expected a number or a decimal text", py::repr(value).cast<std::string>()));
}

using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

template <Function function>
BigFloat apply(const BigFloat& x) {
  BigFloat result;
  function(result.data(), x.data(), MPFR_RNDN);
  return result;
}

BigFloat power(const BigFloat& x, const BigFloat& y) {
  BigFloat result;
  mpfr_pow(result.data(), x.data(), y.data(), MPFR_RNDN);
  return result;
}

std::string text(const BigFloat& x) {
  return x.str(reference::precision_digits());
}

using Binary = BigFloat (*)(const BigFloat&, const BigFloat&);
using Comparison = bool (*)(const BigFloat&, const BigFloat&);

void add_operators(py::class_<BigFloat>& real) {
  const std::pair<const char*, Binary> binary[] = {
      {"add__", [](const BigFloat& a, const BigFloat& b) -> BigFloat { return a + b; }},
      {"sub__", [](const BigFloat& a, const BigFloat& b) -> BigFloat { return a - b; }},
      {"mul__", [](const BigFloat& a, const BigFloat& b) -> BigFloat { return a * b; }},
      {"truediv__", [](const BigFloat& a, const BigFloat& b) -> BigFloat { return a / b; }},
      {"pow__", &power}};
  for (const auto& [name, f] : binary) {
    const auto reflected = [f](const BigFloat& a, const BigFloat& b) { return f(b, a); };
    real.def((std::string("__") + name).c_str(), f, py::is_operator());
    real.def((std::string("__r") + name).c_str(), reflected, py::is_operator());
  }
  const std::pair<const char*, Comparison> comparisons[] = {
      {"__eq__", [](const BigFloat& a, const BigFloat& b) { return a == b; }},
      {"__ne__", [](const BigFloat& a, const BigFloat& b) { return !(a == b); }},
      {"__lt__", [](const BigFloat& a, const BigFloat& b) { return a < b; }},
      {"__le__", [](const BigFloat& a, const BigFloat& b) { return a <= b; }},
      {"__gt__", [](const BigFloat& a, const BigFloat& b) { return a > b; }},
      {"__ge__", [](const BigFloat& a, const BigFloat& b) { return a >= b; }}};
  for (const auto& [name, f] : comparisons) real.def(name, f, py::is_operator());
}

void add_conversions(py::class_<BigFloat>& real) {
  real.def("__neg__", [](const BigFloat& x) { return -x; })
      .def("__pos__", [](const BigFloat& x) { return x; })
      .def("__abs__", [](const BigFloat& x) { return abs(x); })
      .def("__bool__", [](const BigFloat& x) { return mpfr_zero_p(x.data()) == 0; })
      .def("__float__", [](const BigFloat& x) { return static_cast<double>(x); })
      .def("__hash__", [](const BigFloat& x) { return py::hash(py::str(text(x))); })
      .def("__str__", &text)
      .def("__repr__", [](const BigFloat& x) { return "Real('" + text(x) + "')"; });
}

void add_functions(py::class_<BigFloat>& real) {
  real.def("exp", &apply<mpfr_exp>)
      .def("exp2", &apply<mpfr_exp2>)
      .def("expm1", &apply<mpfr_expm1>)
      .def("log", &apply<mpfr_log>)
      .def("log2", &apply<mpfr_log2>)
      .def("log10", &apply<mpfr_log10>)
      .def("log1p", &apply<mpfr_log1p>)
      .def("sqrt", &apply<mpfr_sqrt>)
      .def("cbrt", &apply<mpfr_cbrt>)
      .def("sin", &apply<mpfr_sin>)
      .def("cos", &apply<mpfr_cos>)
      .def("tan", &apply<mpfr_tan>)
      .def("arcsin", &apply<mpfr_asin>)
      .def("arccos", &apply<mpfr_acos>)
      .def("arctan", &apply<mpfr_atan>)
      .def("sinh", &apply<mpfr_sinh>)
      .def("cosh", &apply<mpfr_cosh>)
      .def("tanh", &apply<mpfr_tanh>)
      .def("arcsinh", &apply<mpfr_asinh>)
      .def("arccosh", &apply<mpfr_acosh>)
      .def("arctanh", &apply<mpfr_atanh>)
      .def("erf", &apply<mpfr_erf>)
      .def("erfc", &apply<mpfr_erfc>)
      .def("gamma", &apply<mpfr_gamma>)
      .def("conjugate", [](const BigFloat& x) { return x; })
      .def("isnan", [](const BigFloat& x) { return isnan(x); })
      .def("isfinite", [](const BigFloat& x) { return isfinite(x); });
}

}  // namespace

void add_real(py::module_& core) {
  py::class_<BigFloat> real(core, "Real",
                            "A number of any precision, that of `assay.precision` where it was made; 50 digits "
                            "elsewhere. np.exp(x), x @ y and the like work on object arrays of it.");
  real.def(py::init(&real_of), py::arg("value") = 0);
  add_operators(real);
  add_conversions(real);
  add_functions(real);
  py::implicitly_convertible<py::int_, BigFloat>();
  py::implicitly_convertible<py::float_, BigFloat>();
  py::class_<Precision>(core, "precision", "with precision(100): Reals are computed to 100 digits on this thread.")
      .def(py::init<int>(), py::arg("digits"))
      .def("__enter__", &Precision::enter)
      .def("__exit__", [](Precision& precision, const py::args&) { precision.exit(); });
  core.def("precision_digits", &reference::precision_digits, "Decimal digits in force on this thread.");
}

}  // namespace assay::python
