// The CTC loss and its gradient (metal/host/ctc/ctc.h) on tensors of a GPU.
#include <pybind11/stl.h>

#include "metal/cpu/ctc/any.h"
#include "validation/python/gpu/gpu.h"
#include "validation/python/kernels/ctc_problem.h"

namespace assay::python {
namespace {

namespace py = pybind11;

template <class Real>
void run(const Place& place, const reference::CtcProblem<Real>& problem, std::uint64_t activations, std::uint64_t loss,
         std::uint64_t gradient) {
  Gpu& gpu = Gpu::at(place.ordinal);
  const auto lock = gpu.lock();
  const metal::CtcPlan plan = metal::or_throw(gpu.ctc().prepare(problem, gradient != 0));
  if (plan.dispatches().empty()) return;
  const metal::CtcBuffers buffers{gpu.adopt(activations, plan.activation_bytes()),
                                  gpu.adopt(gradient, plan.gradient_bytes()), gpu.adopt(loss, plan.loss_bytes())};
  gpu.commit(place.stream, [&](metal::ComputeCommandEncoder& encoder) { return plan.encode(encoder, buffers); });
}

/// `type` is an array without elements, of the type of the activations [T, B, C].
void ctc_loss(int ordinal, std::uint64_t stream, std::uint64_t activations, const py::buffer& type,
              const std::string& dtype, const std::array<std::int64_t, 3>& shape, const py::buffer& targets,
              const py::buffer& input_lengths, const py::buffer& target_lengths, const py::buffer& upstream,
              std::int64_t blank, bool logits, const std::string& reduction, bool zero_infinity, std::uint64_t loss,
              std::uint64_t gradient) {
  metal::AnyCtcProblem any;
  any.activations = typed_elements<decltype(any.activations)>("activations", type, dtype);
  any.options =
      ctc_problem(shape, {targets, input_lengths, target_lengths, upstream, blank, logits, reduction, zero_infinity});
  const Computing computing;
  metal::with_types(
      any, {}, [&](const auto& problem, const auto&) { run({ordinal, stream}, problem, activations, loss, gradient); });
}

}  // namespace

void add_ctc_on_gpu(py::module_& module) {
  module.def("ctc_loss", &ctc_loss,
             "Encodes loss and, unless its address is 0, gradient. The activations must be valid.");
}

}  // namespace assay::python
