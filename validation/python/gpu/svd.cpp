// The SVD (metal/host/svd/svd.h) on tensors of a GPU.
#include <pybind11/stl.h>

#include "metal/cpu/svd/any.h"
#include "validation/python/gpu/gpu.h"
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

/// `type` is an array without elements, of the type of A [B, M, N]. Waits for the results, to know that all matrices
/// have converged.
void svd(int ordinal, std::uint64_t stream, std::uint64_t A, const py::buffer& type, const std::string& dtype,
         const std::array<std::int64_t, 3>& shape, std::uint64_t U, std::uint64_t S, std::uint64_t Vh) {
  metal::AnySvdProblem any;
  any.A = typed_elements<metal::AnySvdInput>("A", type, dtype);
  any.options.B = shape[0];
  any.options.M = shape[1];
  any.options.N = shape[2];
  const Computing computing;
  metal::with_types(any, {}, [&](const auto& problem, const auto&) { run({ordinal, stream}, problem, A, U, S, Vh); });
}

}  // namespace

void add_svd_on_gpu(py::module_& module) {
  module.def("svd", &svd, "Writes S and, unless their addresses are 0, U and Vh. The matrices must be finite.");
}

}  // namespace assay::python
