// The CTC loss and its gradient (metal/host/ctc/ctc.h) on tensors of a GPU. The activations must be valid.
#include <array>

#include "metal/cpu/ctc/any.h"
#include "validation/python/gpu/launch.h"
#include "validation/python/kernels/ctc_problem.h"

namespace assay::python {
namespace {

namespace py = pybind11;

/// A problem whose activations are elsewhere, with the arrays that it views.
struct CtcOnGpu {
  static constexpr const char* name = "ctc";
  using Host = metal::CtcLoss;

  metal::AnyCtcProblem given;
  std::array<py::buffer, 4> viewed;

  template <class Problem>
  static auto prepare(const Host& host, const Problem& problem, const Names& wanted) {
    return host.prepare(problem, wanted.contains("gradient"));
  }

  template <class Part>
  static metal::CtcBuffers buffers(const metal::CtcPlan& plan, const Part& part) {
    return {part("activations", plan.activation_bytes()), part("gradient", plan.gradient_bytes()),
            part("loss", plan.loss_bytes())};
  }
};

/// Activations [T, B, C] are of the type `dtype`; `shape` is T, B, C.
CtcOnGpu ctc_on_gpu(const std::string& dtype, const std::array<std::int64_t, 3>& shape, const py::buffer& targets,
                    const py::buffer& input_lengths, const py::buffer& target_lengths, const py::buffer& upstream,
                    const py::dict& options) {
  CtcOnGpu problem;
  problem.given.activations = no_elements<decltype(problem.given.activations)>("activations", dtype);
  problem.given.options = ctc_problem(shape, {targets, input_lengths, target_lengths, upstream, options});
  problem.viewed = {targets, input_lengths, target_lengths, upstream};
  return problem;
}

}  // namespace

void add_ctc_on_gpu(py::module_& module) {
  add_operation<CtcOnGpu>(module, "CtcProblem", &ctc_on_gpu);
}

}  // namespace assay::python
