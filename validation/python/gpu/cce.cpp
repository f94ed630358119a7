// Linear cross-entropy and its gradients (metal/host/cce/cce.h) on tensors of a GPU.
#include <pybind11/stl.h>

#include <array>

#include "metal/cpu/cce/any.h"
#include "validation/python/gpu/gpu.h"
#include "validation/python/gpu/plan.h"
#include "validation/python/kernels/arrays.h"
#include "validation/python/kernels/cce_call.h"

namespace assay::python {
namespace {

namespace py = pybind11;

/// Addresses, 0 for what is absent or not wanted.
struct CceAddresses {
  std::uint64_t hidden, weight, bias, loss, dhidden, dweight, dbias;
};

template <class Real>
void run(const Place& place, const reference::CceProblem<Real>& problem, const CceAddresses& at) {
  Gpu& gpu = Gpu::at(place.ordinal);
  const auto lock = gpu.lock();
  const metal::CcePlan plan =
      metal::or_throw(gpu.cce().prepare(problem, {true, at.dhidden != 0, at.dweight != 0, at.dbias != 0}));
  const metal::CceBuffers buffers{gpu.adopt(at.hidden, plan.hidden_bytes()),
                                  gpu.adopt(at.weight, plan.weight_bytes()),
                                  gpu.adopt(at.bias, plan.bias_bytes()),
                                  gpu.adopt(at.loss, plan.loss_bytes()),
                                  gpu.allocate(plan.lse_bytes()),
                                  gpu.adopt(at.dhidden, plan.dhidden_bytes()),
                                  gpu.adopt(at.dweight, plan.dweight_bytes()),
                                  gpu.adopt(at.dbias, plan.dbias_bytes())};
  gpu.commit(place.stream, [&](metal::ComputeCommandEncoder& encoder) { return plan.encode(encoder, buffers); });
}

/// A problem whose hidden and weight are elsewhere, with the arrays that it views.
struct CceOnGpu {
  metal::AnyCceProblem any;
  std::array<py::buffer, 3> viewed;
};

/// `type` is an array without elements, of the type of hidden; `shape` is N, H, V.
CceOnGpu cce_on_gpu(const py::buffer& type, const std::string& dtype, const std::array<std::int64_t, 3>& shape,
                    const py::buffer& bias, const py::buffer& targets, const py::buffer& upstream,
                    std::int64_t ignore_index, double logit_softcap, double label_smoothing, double z_loss,
                    const std::string& reduction) {
  CceOnGpu problem;
  problem.any.hidden = typed_elements<metal::AnyInput>("hidden", type, dtype);
  problem.any.bias = typed_elements<metal::AnyInput>("bias", bias, dtype);
  auto& options = problem.any.options;
  options.N = shape[0];
  options.H = shape[1];
  options.V = shape[2];
  options.targets = integers("targets", targets);
  options.upstream = elements<const float>("upstream", upstream);
  set_options(options, ignore_index, logit_softcap, label_smoothing, z_loss, reduction);
  problem.viewed = {bias, targets, upstream};
  return problem;
}

/// addresses: as CceAddresses; the values of the bias are also in `given`.
void cce(int ordinal, std::uint64_t stream, const CceOnGpu& given, const std::array<std::uint64_t, 7>& addresses) {
  const auto [hidden, weight, bias, loss, dhidden, dweight, dbias] = addresses;
  const CceAddresses at{hidden, weight, bias, loss, dhidden, dweight, dbias};
  const Computing computing;
  metal::with_types(given.any, {}, [&](const auto& problem, const auto&) { run({ordinal, stream}, problem, at); });
}

py::dict cce_plan(const CceOnGpu& given, const std::array<bool, 3>& wanted, std::uint64_t working_set,
                  const std::map<std::string, std::uint32_t>& max_threads) {
  RecordedPlan recorded({working_set, max_threads});
  metal::with_types(given.any, {}, [&](const auto& problem, const auto&) {
    const Computing computing;
    auto& device = *recorded.device();
    const auto loss = metal::or_throw(metal::LinearCrossEntropy::create(recorded.device()));
    const metal::CcePlan plan = metal::or_throw(loss.prepare(problem, {true, wanted[0], wanted[1], wanted[2]}));
    recorded.record(plan, metal::CceBuffers{
                              device.part("hidden", plan.hidden_bytes()), device.part("weight", plan.weight_bytes()),
                              device.part("bias", plan.bias_bytes()), device.part("loss", plan.loss_bytes()),
                              device.part("lse", plan.lse_bytes()), device.part("dhidden", plan.dhidden_bytes()),
                              device.part("dweight", plan.dweight_bytes()), device.part("dbias", plan.dbias_bytes())});
  });
  return recorded.as_dict();
}

}  // namespace

void add_cce_on_gpu(py::module_& module) {
  py::class_<CceOnGpu>(module, "CceProblem", py::module_local()).def(py::init(&cce_on_gpu));
  module.def("cce", &cce,
             "Encodes the loss of each token, and the gradients whose addresses are not 0. All inputs must be finite.");
  module.def("cce_plan", &cce_plan, "What cce encodes, as RecordedPlan::as_dict; `wanted`: dhidden, dweight, dbias.");
}

}  // namespace assay::python
