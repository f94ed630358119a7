// Linear cross-entropy and its gradients (metal/host/cce/cce.h) on tensors of a GPU: the loss of each token. All inputs
// must be finite.
#include <array>
#include <optional>

#include "metal/cpu/cce/any.h"
#include "reference/cce/options.h"
#include "validation/python/gpu/launch.h"
#include "validation/python/kernels/options.h"

namespace assay::python {
namespace {

namespace py = pybind11;

/// A problem whose hidden and weight are elsewhere, with the arrays that it views.
struct CceOnGpu {
  static constexpr const char* name = "cce";
  using Host = metal::LinearCrossEntropy;

  metal::AnyCceProblem given;
  std::vector<py::buffer> viewed;

  template <class Problem>
  static auto prepare(const Host& host, const Problem& problem, const Names& wanted) {
    return host.prepare(problem,
                        {true, wanted.contains("dhidden"), wanted.contains("dweight"), wanted.contains("dbias")});
  }

  template <class Part>
  static metal::CceBuffers buffers(const metal::CcePlan& plan, const Part& part) {
    return {part("hidden", plan.hidden_bytes()),   part("weight", plan.weight_bytes()),
            part("bias", plan.bias_bytes()),       part("loss", plan.loss_bytes()),
            part("lse", plan.lse_bytes()),         part("dhidden", plan.dhidden_bytes()),
            part("dweight", plan.dweight_bytes()), part("dbias", plan.dbias_bytes())};
  }
};

/// Hidden and weight are of the type `dtype`; `shape` is N, H, V. The values of the bias are needed here too.
CceOnGpu cce_on_gpu(const std::string& dtype, const std::array<std::int64_t, 3>& shape,
                    const std::optional<py::buffer>& bias, const py::buffer& targets, const py::buffer& upstream,
                    const py::dict& named) {
  CceOnGpu problem;
  problem.given.hidden = no_elements<metal::AnyInput>("hidden", dtype);
  problem.given.weight = problem.given.hidden;
  problem.given.bias = bias ? typed_elements<metal::AnyInput>("bias", *bias, dtype) : problem.given.hidden;
  auto& options = problem.given.options;
  options.N = shape[0];
  options.H = shape[1];
  options.V = shape[2];
  options.targets = integers("targets", targets);
  options.upstream = elements<const float>("upstream", upstream);
  set_options(options, named);
  problem.viewed = {targets, upstream};
  if (bias) problem.viewed.push_back(*bias);
  return problem;
}

}  // namespace

void add_cce_on_gpu(py::module_& module) {
  add_operation<CceOnGpu>(module, "CceProblem", &cce_on_gpu);
}

}  // namespace assay::python
