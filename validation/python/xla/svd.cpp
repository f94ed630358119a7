// assay_svd and assay_svd_gradient: the SVD and its gradient (metal/cpu/svd/svd.h, gradient.h) as handlers of XLA's
// foreign function interface, on matrices with any number of leading axes.
#include "metal/cpu/svd/svd.h"

#include <cstddef>
#include <cstdint>
#include <variant>

#include "metal/cpu/svd/any.h"
#include "metal/cpu/svd/gradient.h"
#include "validation/python/xla/buffers.h"

namespace assay::python {
namespace {

namespace ffi = ::xla::ffi;
using metal::AnySvdInput;
using metal::AnySvdOutputArray;
using Values = metal::AnyOutputOf<float, double>;

/// Sets B, M and N of `problem` to the shape [..., M, N] of `matrices`.
template <class Problem>
void set_shape(Problem& problem, const Buffer& matrices) {
  const auto shape = matrices.dimensions();
  const std::size_t axes = shape.size();
  problem.M = shape[axes - 2];
  problem.N = shape[axes - 1];
  problem.B = 1;
  for (std::size_t axis = 0; axis + 2 < axes; ++axis) problem.B *= shape[axis];
}

ffi::Error svd(const Buffer& A, Output U, Output S, Output Vh) {
  return computed([&] {
    metal::AnySvdProblem any;
    any.A = typed_elements<AnySvdInput>("A", A);
    set_shape(any.options, A);
    const metal::AnySvdOutput out = {.U = typed_elements<AnySvdOutputArray>("U", *U),
                                     .S = typed_elements<Values>("S", *S),
                                     .Vh = typed_elements<AnySvdOutputArray>("Vh", *Vh)};
    metal::with_types(any, out, [](const auto& problem, const auto& typed) { metal::svd(problem, typed); });
  });
}

ffi::Error svd_gradient(const Buffer& U, const Buffer& S, const Buffer& Vh, const Buffer& dU, const Buffer& dS,
                        const Buffer& dVh, Output dA) {
  return computed([&] {
    const auto take = [&]<class Real>(std::span<Real> gradient) {
      using Value = reference::SingularValue<Real>;
      metal::SvdCotangent<Real> given;
      set_shape(given, *dA);
      given.U = elements<const Real>("U", U);
      given.S = elements<const Value>("S", S);
      given.Vh = elements<const Real>("Vh", Vh);
      given.dU = elements<const Real>("dU", dU);
      given.dS = elements<const Value>("dS", dS);
      given.dVh = elements<const Real>("dVh", dVh);
      metal::svd_gradient(given, gradient);
    };
    std::visit(take, typed_elements<AnySvdOutputArray>("dA", *dA));
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
