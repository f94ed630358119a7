// The CTC loss and its gradient (metal/host/ctc/ctc.h) on tensors of a GPU.
#include <pybind11/stl.h>

#include <array>

#include "metal/cpu/ctc/any.h"
#include "validation/python/gpu/gpu.h"
#include "validation/python/gpu/plan.h"
#include "validation/python/kernels/ctc_problem.h"

namespace assay::python {
namespace {

namespace py = pybind11;

/// A problem whose activations are elsewhere, with the arrays that it views.
struct CtcOnGpu {
  metal::AnyCtcProblem any;
  std::array<py::buffer, 4> viewed;
};

/// `type` is an array without elements, of the type of the activations [T, B, C].
CtcOnGpu ctc_on_gpu(const py::buffer& type, const std::string& dtype, const std::array<std::int64_t, 3>& shape,
                    const py::buffer& targets, const py::buffer& input_lengths, const py::buffer& target_lengths,
                    const py::buffer& upstream, std::int64_t blank, bool logits, const std::string& reduction,
                    bool zero_infinity) {
  CtcOnGpu problem;
  problem.any.activations = typed_elements<decltype(problem.any.activations)>("activations", type, dtype);
  problem.any.options =
      ctc_problem(shape, {targets, input_lengths, target_lengths, upstream, blank, logits, reduction, zero_infinity});
  problem.viewed = {targets, input_lengths, target_lengths, upstream};
  return problem;
}

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

void ctc_loss(int ordinal, std::uint64_t stream, const CtcOnGpu& given, std::uint64_t activations, std::uint64_t loss,
              std::uint64_t gradient) {
  const Computing computing;
  metal::with_types(given.any, {}, [&](const auto& problem, const auto&) {
    run({ordinal, stream}, problem, activations, loss, gradient);
  });
}

py::dict ctc_plan(const CtcOnGpu& given, bool with_gradient, std::uint64_t working_set,
                  const std::map<std::string, std::uint32_t>& max_threads) {
  RecordedPlan recorded({working_set, max_threads});
  metal::with_types(given.any, {}, [&](const auto& problem, const auto&) {
    const Computing computing;
    auto& device = *recorded.device();
    const auto loss = metal::or_throw(metal::CtcLoss::create(recorded.device()));
    const metal::CtcPlan plan = metal::or_throw(loss.prepare(problem, with_gradient));
    if (plan.dispatches().empty()) return;
    recorded.record(plan, metal::CtcBuffers{device.part("activations", plan.activation_bytes()),
                                            device.part("gradient", plan.gradient_bytes()),
                                            device.part("loss", plan.loss_bytes())});
  });
  return recorded.as_dict();
}

}  // namespace

void add_ctc_on_gpu(py::module_& module) {
  py::class_<CtcOnGpu>(module, "CtcProblem", py::module_local()).def(py::init(&ctc_on_gpu));
  module.def("ctc_loss", &ctc_loss,
             "Encodes loss and, unless its address is 0, gradient. The activations must be valid.");
  module.def("ctc_plan", &ctc_plan, "What ctc_loss encodes, as RecordedPlan::as_dict.");
}

}  // namespace assay::python
