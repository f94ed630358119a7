// The SVD, the randomised SVD and the gradient of the SVD (metal/cpu/svd/svd.h, gradient.h), on NumPy arrays.
#include "metal/cpu/svd/svd.h"

#include <pybind11/stl.h>

#include "metal/cpu/svd/any.h"
#include "metal/cpu/svd/gradient.h"
#include "validation/python/kernels/arrays.h"
#include "validation/python/kernels/svd_call.h"

namespace assay::python {
namespace {

namespace py = pybind11;
using metal::AnySvdInput;
using metal::AnySvdOutput;
using metal::AnySvdOutputArray;
using metal::AnySvdProblem;
using Values = metal::AnyOutputOf<float, double>;

/// The type of the singular values of matrices of `dtype`.
std::string values_dtype(const std::string& dtype) {
  return dtype == "float64" ? dtype : "float32";
}

/// Calls use(problem, output) without the interpreter's lock.
template <class Use>
void decompose(const py::buffer& A, const std::string& dtype, const py::buffer& U, const py::buffer& S,
               const py::buffer& Vh, const Use& use) {
  AnySvdProblem any;
  any.A = typed_elements<AnySvdInput>("A", A, dtype);
  const auto [B, M, N] = shape_of<3>("A", A);
  any.options.B = B;
  any.options.M = M;
  any.options.N = N;
  const AnySvdOutput out = {.U = typed_elements<AnySvdOutputArray>("U", U, dtype),
                            .S = typed_elements<Values>("S", S, values_dtype(dtype)),
                            .Vh = typed_elements<AnySvdOutputArray>("Vh", Vh, dtype)};
  const Computing computing;
  metal::with_types(any, out, use);
}

void svd(const py::buffer& A, const std::string& dtype, const py::buffer& U, const py::buffer& S, const py::buffer& Vh,
         int threads) {
  decompose(A, dtype, U, S, Vh,
            [&](const auto& problem, const auto& output) { metal::svd(problem, output, {.threads = threads}); });
}

void randomized_svd(const py::buffer& A, const std::string& dtype, std::int64_t rank, std::int64_t oversampling,
                    std::int64_t power_iterations, std::uint64_t seed, const py::buffer& U, const py::buffer& S,
                    const py::buffer& Vh, int threads) {
  const reference::RandomizedSvd randomized = {rank, oversampling, power_iterations, seed};
  decompose(A, dtype, U, S, Vh, [&](const auto& problem, const auto& output) {
    metal::randomized_svd(problem, randomized, output, {.threads = threads});
  });
}

/// The number of terms that were taken as 0 instead of dividing by zero. `arrays`: as svd_cotangent.
std::int64_t svd_gradient(const std::string& dtype, const std::array<py::buffer, 6>& arrays, const py::buffer& dA,
                          int threads) {
  const auto out = typed_elements<AnySvdOutputArray>("dA", dA, dtype);
  const auto take = []<class Element>(const char* name, const py::buffer& array) {
    return elements<Element>(name, array);
  };
  return std::visit(
      [&]<class Real>(std::span<Real> gradient) {
        const auto given = svd_cotangent<Real>(shape_of<3>("dA", dA), arrays, take);
        const Computing computing;
        const metal::SvdGradientNotes notes = metal::svd_gradient(given, gradient, {.threads = threads});
        return notes.equal_values + notes.zero_values;
      },
      out);
}

}  // namespace

void add_svd_kernel(py::module_& kernels) {
  kernels.def("svd", &svd, "Writes U, S and Vh, or S alone where U and Vh are empty.");
  kernels.def("randomized_svd", &randomized_svd, "Writes the `rank` largest singular triplets.");
  kernels.def("svd_gradient", &svd_gradient, "Writes dA; returns how many terms were taken as 0.");
}

}  // namespace assay::python
