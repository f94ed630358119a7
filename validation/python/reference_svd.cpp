// The any-precision SVD reference on float64 arrays, its singular values certain as validation/svd/truth.h says.
#include <pybind11/stl.h>

#include <array>

#include "validation/python/bindings.h"
#include "validation/svd/truth.h"

namespace assay::python {
namespace {

namespace py = pybind11;

using Texts = std::vector<std::string>;

void append(Texts& texts, const reference::Matrix<reference::BigFloat>& matrix, int digits) {
  for (std::int64_t i = 0; i < matrix.rows(); ++i)
    for (const auto& element : matrix.row(i)) texts.push_back(element.str(digits));
}

std::array<Texts, 3> svd(const DoubleArray& A, int digits) {
  const auto elements = span_of(A);
  const validation::SvdCase c{A.shape(0), A.shape(1), A.shape(2), validation::Dtype::float64,
                              std::vector<double>(elements.begin(), elements.end())};
  const py::gil_scoped_release others_run;
  std::array<Texts, 3> texts;
  for (const auto& matrix : validation::truth_of(c, digits).matrices) {
    append(texts[0], matrix->factors.U, digits);
    for (const auto& value : matrix->factors.S) texts[1].push_back(value.str(digits));
    append(texts[2], matrix->factors.Vh, digits);
  }
  return texts;
}

}  // namespace

void add_svd(py::module_& core) {
  core.def("svd", &svd, "Decimal texts of U, S and Vh; assay.reference.svd checks the shapes.");
}

}  // namespace assay::python
