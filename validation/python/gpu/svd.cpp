// The SVD (metal/host/svd/svd.h) on tensors of a GPU. The matrices must be finite.
#include <array>
#include <type_traits>

#include "metal/cpu/svd/any.h"
#include "validation/python/gpu/launch.h"

namespace assay::python {
namespace {

namespace py = pybind11;

/// A problem whose matrices are elsewhere.
struct SvdOnGpu {
  static constexpr const char* name = "svd";
  using Host = metal::Svd;

  metal::AnySvdProblem given;

  template <class Real>
  static metal::Result<metal::SvdPlan> prepare(const Host& host, const reference::SvdProblem<Real>& problem,
                                               const Names& wanted) {
    if constexpr (std::is_same_v<Real, double>) {
      reference::detail::refuse("A is float64: expected float32, float16 or bfloat16 on a GPU");
    } else {
      return host.prepare(problem, wanted.contains("U"));
    }
  }

  template <class Part>
  static metal::SvdBuffers buffers(const metal::SvdPlan& plan, const Part& part) {
    return {part("A", plan.matrix_bytes()), part("U", plan.left_bytes()), part("S", plan.values_bytes()),
            part("Vh", plan.right_bytes()), part("status", plan.status_bytes())};
  }
};

/// A [B, M, N] is of the type `dtype`; `shape` is B, M, N.
SvdOnGpu svd_on_gpu(const std::string& dtype, const std::array<std::int64_t, 3>& shape) {
  SvdOnGpu problem;
  problem.given.A = no_elements<metal::AnySvdInput>("A", dtype);
  problem.given.options.B = shape[0];
  problem.given.options.M = shape[1];
  problem.given.options.N = shape[2];
  return problem;
}

}  // namespace

void add_svd_on_gpu(py::module_& module) {
  add_operation<SvdOnGpu>(module, "SvdProblem", &svd_on_gpu);
}

}  // namespace assay::python
