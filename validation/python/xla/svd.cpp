// assay_svd and assay_svd_gradient: the SVD and its gradient (metal/cpu/svd/svd.h, gradient.h) as handlers of XLA's
// foreign function interface, on matrices with any number of leading axes.
#include "metal/cpu/svd/svd.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "metal/cpu/svd/any.h"
#include "metal/cpu/svd/gradient.h"
#include "validation/python/kernels/svd_call.h"
#include "validation/python/xla/buffers.h"

namespace assay::python {
namespace {

namespace ffi = ::xla::ffi;
using metal::AnySvdInput;
using metal::AnySvdOutputArray;
using Values = metal::AnyOutputOf<float, double>;

/// B, M and N of matrices [..., M, N].
std::array<std::int64_t, 3> shape_of(const Buffer& matrices) {
  const auto shape = matrices.dimensions();
  const std::size_t axes = shape.size();
  std::int64_t B = 1;
  for (std::size_t axis = 0; axis + 2 < axes; ++axis) B *= shape[axis];
  return {B, shape[axes - 2], shape[axes - 1]};
}

ffi::Error svd(const Buffer& A, Output U, Output S, Output Vh) {
  return computed([&] {
    metal::AnySvdProblem any;
    any.A = typed_elements<AnySvdInput>("A", A);
    const auto [B, M, N] = shape_of(A);
    any.options.B = B;
    any.options.M = M;
    any.options.N = N;
    const metal::AnySvdOutput out = {.U = result_elements<AnySvdOutputArray>("U", U),
                                     .S = typed_elements<Values>("S", *S),
                                     .Vh = result_elements<AnySvdOutputArray>("Vh", Vh)};
    metal::with_types(any, out, [](const auto& problem, const auto& typed) { metal::svd(problem, typed); });
  });
}

ffi::Error svd_gradient(const Buffer& U, const Buffer& S, const Buffer& Vh, const Buffer& dU, const Buffer& dS,
                        const Buffer& dVh, Output dA) {
  return computed([&] {
    const std::array<Buffer, 6> arrays = {U, S, Vh, dU, dS, dVh};
    const auto take = []<class Element>(const char* name, const Buffer& array) {
      return elements<Element>(name, array);
    };
    const auto differentiate = [&]<class Real>(std::span<Real> gradient) {
      metal::svd_gradient(svd_cotangent<Real>(shape_of(*dA), arrays, take), gradient);
    };
    std::visit(differentiate, result_elements<AnySvdOutputArray>("dA", dA));
  });
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(assay_svd, svd,
                              ffi::Ffi::Bind()
                                  .Arg<Buffer>()    // A [..., M, N]
                                  .Ret<Buffer>()    // U [..., M, K]
                                  .Ret<Buffer>()    // S [..., K]
                                  .Ret<Buffer>());  // Vh [..., K, N]

XLA_FFI_DEFINE_HANDLER_SYMBOL(assay_svd_gradient, svd_gradient,
                              ffi::Ffi::Bind()
                                  .Arg<Buffer>()    // U
                                  .Arg<Buffer>()    // S
                                  .Arg<Buffer>()    // Vh
                                  .Arg<Buffer>()    // dU
                                  .Arg<Buffer>()    // dS
                                  .Arg<Buffer>()    // dVh
                                  .Ret<Buffer>());  // dA [..., M, N]

}  // namespace assay::python
