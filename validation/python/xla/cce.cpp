// assay_cce: linear cross-entropy and its gradients (metal/cpu/cce/loss.h) as a handler of XLA's foreign function
// interface. Empty gradients are not wanted; an empty bias means none, an empty upstream gradient ones.
#include "metal/cpu/cce/any.h"
#include "metal/cpu/cce/loss.h"
#include "reference/cce/options.h"
#include "validation/python/kernels/call.h"
#include "validation/python/xla/buffers.h"

namespace assay::python {
namespace {

namespace ffi = ::xla::ffi;
using metal::AnyInput;
using metal::AnyOutput;

ffi::Error cce(const Buffer& hidden, const Buffer& weight, const Buffer& bias, const Buffer& targets,
               const Buffer& upstream, Output loss, Output dhidden, Output dweight, Output dbias,
               const ffi::Dictionary& options) {
  return computed([&] {
    const auto classes = integers("targets", targets);
    metal::AnyCceProblem any;
    any.hidden = typed_elements<AnyInput>("hidden", hidden);
    any.weight = typed_elements<AnyInput>("weight", weight);
    any.bias = typed_elements<AnyInput>("bias", bias);
    auto& o = any.options;
    o.N = hidden.dimensions()[0];
    o.H = hidden.dimensions()[1];
    o.V = weight.dimensions()[0];
    o.targets = classes;
    o.upstream = elements<const float>("upstream", upstream);
    set_options(o, reader_of(options));
    const metal::AnyCceOutput out = {.loss = elements<float>("loss", *loss),
                                     .dhidden = result_elements<AnyOutput>("dhidden", dhidden),
                                     .dweight = result_elements<AnyOutput>("dweight", dweight),
                                     .dbias = result_elements<AnyOutput>("dbias", dbias)};
    metal::with_types(any, out, [](const auto& problem, const auto& typed) { metal::cce_loss(problem, typed); });
  });
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(assay_cce, cce,
                              ffi::Ffi::Bind()
                                  .Arg<Buffer>()  // hidden [N, H]
                                  .Arg<Buffer>()  // weight [V, H]
                                  .Arg<Buffer>()  // bias
                                  .Arg<Buffer>()  // targets [N]
                                  .Arg<Buffer>()  // upstream
                                  .Ret<Buffer>()  // loss
                                  .Ret<Buffer>()  // dhidden
                                  .Ret<Buffer>()  // dweight
                                  .Ret<Buffer>()  // dbias
                                  .Attrs());      // reference/cce/options.h

}  // namespace assay::python
