// The CTC loss and its gradient with respect to the activations (metal/cpu/ctc/loss.h), on NumPy arrays.
#include "metal/cpu/ctc/any.h"
#include "validation/python/kernels/arrays.h"
#include "validation/python/kernels/ctc_call.h"
#include "validation/python/kernels/ctc_problem.h"

namespace assay::python {
namespace {

namespace py = pybind11;
using metal::AnyCtcOutput;
using metal::AnyCtcProblem;

void ctc_loss(const py::buffer& activations, const std::string& dtype, const py::buffer& targets,
              const py::buffer& input_lengths, const py::buffer& target_lengths, const py::buffer& upstream,
              const py::dict& options, const py::buffer& loss, const py::buffer& gradient, int threads) {
  AnyCtcProblem any;
  any.activations = typed_elements<decltype(any.activations)>("activations", activations, dtype);
  any.options =
      ctc_problem(shape_of<3>("activations", activations), {targets, input_lengths, target_lengths, upstream, options});
  AnyCtcOutput out;
  out.loss = elements<float>("loss", loss);
  out.gradient = typed_elements<decltype(out.gradient)>("gradient", gradient, dtype);

  const Computing computing;
  any_ctc_loss(any, out, threads);
}

}  // namespace

void add_ctc_kernel(py::module_& kernels) {
  kernels.def("ctc_loss", &ctc_loss, "Writes loss and, unless it is empty, gradient.");
}

}  // namespace assay::python
