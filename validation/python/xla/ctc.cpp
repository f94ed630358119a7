// assay_ctc: the CTC loss and its gradient with respect to the activations (metal/cpu/ctc/loss.h) as a handler of XLA's
// foreign function interface. An empty gradient is not wanted; an empty upstream gradient means ones.
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "metal/cpu/ctc/any.h"
#include "validation/python/kernels/ctc_call.h"
#include "validation/python/xla/buffers.h"

namespace assay::python {
namespace {

namespace ffi = ::xla::ffi;

/// The kernel's refusals name the activations as the caller does.
std::string named(std::string message, bool logits) {
  constexpr std::string_view general = "activations";
  const auto at = message.find(general);
  return at == std::string::npos ? message : message.replace(at, general.size(), logits ? "logits" : "log_probs");
}

ffi::Error ctc(const Buffer& activations, const Buffer& targets, const Buffer& input_lengths,
               const Buffer& target_lengths, const Buffer& upstream, std::int64_t blank, bool logits,
               std::string_view reduction, bool zero_infinity, Output loss, Output gradient) {
  return computed([&] {
    const auto labels = integers("targets", targets), frames = integers("input_lengths", input_lengths),
               counts = integers("target_lengths", target_lengths);
    metal::AnyCtcProblem any;
    any.activations = typed_elements<decltype(any.activations)>("activations", activations);
    auto& options = any.options;
    const auto shape = activations.dimensions(), of_targets = targets.dimensions();
    const auto S = of_targets.size() == 2 ? std::optional(of_targets[1]) : std::nullopt;
    set_options(options, {shape[0], shape[1], shape[2]}, S, blank, logits, reduction, zero_infinity);
    options.targets = labels;
    options.input_lengths = frames;
    options.target_lengths = counts;
    options.upstream = elements<const float>("upstream", upstream);
    metal::AnyCtcOutput out;
    out.loss = elements<float>("loss", *loss);
    out.gradient = result_elements<decltype(out.gradient)>("gradient", gradient);
    try {
      any_ctc_loss(any, out, 0);
    } catch (const std::invalid_argument& refusal) {
      throw std::invalid_argument(named(refusal.what(), logits));
    }
  });
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(assay_ctc, ctc,
                              ffi::Ffi::Bind()
                                  .Arg<Buffer>()  // activations [T, B, C]
                                  .Arg<Buffer>()  // targets
                                  .Arg<Buffer>()  // input_lengths
                                  .Arg<Buffer>()  // target_lengths
                                  .Arg<Buffer>()  // upstream
                                  .Attr<std::int64_t>("blank")
                                  .Attr<bool>("logits")
                                  .Attr<std::string_view>("reduction")
                                  .Attr<bool>("zero_infinity")
                                  .Ret<Buffer>()    // loss
                                  .Ret<Buffer>());  // gradient

}  // namespace assay::python
