// Linear cross-entropy and its gradients (metal/host/cce/cce.h) on tensors of a GPU.
#include <pybind11/stl.h>

#include "metal/cpu/cce/any.h"
#include "validation/python/gpu/gpu.h"
#include "validation/python/kernels/arrays.h"

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

/// `type` is an array without elements, of the type of hidden; `shape` is N, H, V; `bias` are the values at
/// addresses[2]. addresses: as CceAddresses.
void cce(int ordinal, std::uint64_t stream, const std::array<std::uint64_t, 7>& addresses, const py::buffer& type,
         const std::string& dtype, const std::array<std::int64_t, 3>& shape, const py::buffer& bias,
         const py::buffer& targets, const py::buffer& upstream, std::int64_t ignore_index, double logit_softcap,
         double label_smoothing, double z_loss, const std::string& reduction) {
  metal::AnyCceProblem any;
  any.hidden = typed_elements<metal::AnyInput>("hidden", type, dtype);
  any.bias = typed_elements<metal::AnyInput>("bias", bias, dtype);
  auto& options = any.options;
  options.N = shape[0];
  options.H = shape[1];
  options.V = shape[2];
  options.targets = integers("targets", targets);
  options.upstream = elements<const float>("upstream", upstream);
  options.ignore_index = ignore_index;
  options.logit_softcap = logit_softcap;
  options.label_smoothing = label_smoothing;
  options.z_loss = z_loss;
  options.reduction = reduction_of(reduction);
  const auto [hidden, weight, bias_address, loss, dhidden, dweight, dbias] = addresses;
  const CceAddresses at{hidden, weight, bias_address, loss, dhidden, dweight, dbias};
  const Computing computing;
  metal::with_types(any, {}, [&](const auto& problem, const auto&) { run({ordinal, stream}, problem, at); });
}

}  // namespace

void add_cce_on_gpu(py::module_& module) {
  module.def("cce", &cce,
             "Encodes the loss of each token, and the gradients whose addresses are not 0. All inputs must be finite.");
}

}  // namespace assay::python
