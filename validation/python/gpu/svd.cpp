// The SVD (metal/host/svd/svd.h) on tensors of a GPU.
#include <pybind11/stl.h>

#include <array>
#include <type_traits>

#include "metal/cpu/svd/any.h"
#include "validation/python/gpu/gpu.h"
#include "validation/python/gpu/plan.h"
#include "validation/python/kernels/arrays.h"

namespace assay::python {
namespace {

namespace py = pybind11;

/// The sweeps that each matrix took, written by the commands.
std::span<const std::uint32_t> sweeps_in(const metal::BufferPart& status, std::uint64_t bytes) {
  if (bytes == 0) return {};
  return {reinterpret_cast<const std::uint32_t*>(status.buffer->contents()), bytes / sizeof(std::uint32_t)};
}

template <class Real>
void run(const Place& place, const reference::SvdProblem<Real>& problem, std::uint64_t A, std::uint64_t U,
         std::uint64_t S, std::uint64_t Vh) {
  if constexpr (std::is_same_v<Real, double>) {
    reference::detail::refuse("A is float64: expected float32, float16 or bfloat16 on a GPU");
  } else {
    Gpu& gpu = Gpu::at(place.ordinal);
    auto lock = gpu.lock();
    const metal::SvdPlan plan = metal::or_throw(gpu.svd().prepare(problem, U != 0));
    const metal::BufferPart status = gpu.allocate(plan.status_bytes());
    const metal::SvdBuffers buffers{gpu.adopt(A, plan.matrix_bytes()), gpu.adopt(U, plan.left_bytes()),
                                    gpu.adopt(S, plan.values_bytes()), gpu.adopt(Vh, plan.right_bytes()), status};
    const auto commands =
        gpu.commit(place.stream, [&](metal::ComputeCommandEncoder& encoder) { return plan.encode(encoder, buffers); });
    lock.unlock();
    metal::or_throw(commands->wait_until_completed());
    metal::or_throw(plan.check_status(sweeps_in(status, plan.status_bytes())));
  }
}

/// A problem whose matrices are elsewhere: `type` is an array without elements, of the type of A [B, M, N].
metal::AnySvdProblem svd_on_gpu(const py::buffer& type, const std::string& dtype,
                                const std::array<std::int64_t, 3>& shape) {
  metal::AnySvdProblem any;
  any.A = typed_elements<metal::AnySvdInput>("A", type, dtype);
  any.options.B = shape[0];
  any.options.M = shape[1];
  any.options.N = shape[2];
  return any;
}

/// Waits for the results, to know that all matrices have converged.
void svd(int ordinal, std::uint64_t stream, const metal::AnySvdProblem& given, std::uint64_t A, std::uint64_t U,
         std::uint64_t S, std::uint64_t Vh) {
  const Computing computing;
  metal::with_types(given, {}, [&](const auto& problem, const auto&) { run({ordinal, stream}, problem, A, U, S, Vh); });
}

template <class Real>
metal::SvdPlan recorded_plan(const reference::SvdProblem<Real>& problem, RecordedPlan& recorded) {
  if constexpr (std::is_same_v<Real, double>) {
    reference::detail::refuse("A is float64: expected float32, float16 or bfloat16 on a GPU");
  } else {
    const Computing computing;
    auto& device = *recorded.device();
    const auto operation = metal::or_throw(metal::Svd::create(recorded.device()));
    metal::SvdPlan plan = metal::or_throw(operation.prepare(problem, true));
    recorded.record(plan,
                    metal::SvdBuffers{device.part("A", plan.matrix_bytes()), device.part("U", plan.left_bytes()),
                                      device.part("S", plan.values_bytes()), device.part("Vh", plan.right_bytes()),
                                      device.part("status", plan.status_bytes())});
    return plan;
  }
}

/// "check" throws std::runtime_error unless `status`, uint32 [B], says that all matrices have converged.
py::dict svd_plan(const metal::AnySvdProblem& given, std::uint64_t working_set,
                  const std::map<std::string, std::uint32_t>& max_threads) {
  RecordedPlan recorded({working_set, max_threads});
  py::dict result;
  metal::with_types(given, {}, [&](const auto& problem, const auto&) {
    const metal::SvdPlan plan = recorded_plan(problem, recorded);
    result = recorded.as_dict();
    result["check"] = py::cpp_function([plan](const py::buffer& status) {
      metal::or_throw(plan.check_status(elements<const std::uint32_t>("status", status)));
    });
  });
  return result;
}

}  // namespace

void add_svd_on_gpu(py::module_& module) {
  py::class_<metal::AnySvdProblem>(module, "SvdProblem", py::module_local()).def(py::init(&svd_on_gpu));
  module.def("svd", &svd, "Writes S and, unless their addresses are 0, U and Vh. The matrices must be finite.");
  module.def("svd_plan", &svd_plan, "What svd encodes, as RecordedPlan::as_dict, with \"check\" of the status.");
}

}  // namespace assay::python
