// assay_ctc: the CTC loss and its gradient with respect to the activations (metal/cpu/ctc/loss.h) as a handler of XLA's
// foreign function interface. An empty gradient is not wanted; an empty upstream gradient means ones.
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "metal/cpu/ctc/any.h"
#include "reference/ctc/options.h"
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
               const Buffer& target_lengths, const Buffer& upstream, Output loss, Output gradient,
               const ffi::Dictionary& given) {
  return computed([&] {
    const auto labels = integers("targets", targets), frames = integers("input_lengths", input_lengths),
               counts = integers("target_lengths", target_lengths);
    metal::AnyCtcProblem any;
    any.activations = typed_elements<decltype(any.activations)>("activations", activations);
    auto& options = any.options;
    const auto shape = activations.dimensions(), of_targets = targets.dimensions();
    const auto S = of_targets.size() == 2 ? std::optional(of_targets[1]) : std::nullopt;
    const auto read = reader_of(given);
    const bool logits = read.operator()<bool>("logits");
    set_form(options, {shape[0], shape[1], shape[2]}, S, logits);
    set_options(options, read);
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
                                  .Ret<Buffer>()  // loss
                                  .Ret<Buffer>()  // gradient
                                  .Attrs());      // "logits", and reference/ctc/options.h

}  // namespace assay::python
