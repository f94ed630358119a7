#include "validation/ctc/support.h"

#include <algorithm>

namespace assay::validation {
namespace {

bool is_empty(const CtcCase& c) {
  const auto none = [](std::int64_t length) { return length == 0; };
  return c.T == 0 || c.B == 0 || std::ranges::any_of(c.input_lengths, none) ||
         std::ranges::any_of(c.target_lengths, none);
}

bool is_of_type(Dtype dtype, const CtcCase& c) {
  return dtype == Dtype::float32 || std::ranges::all_of(c.activations, [dtype](float value) {
           return !(value == value) || rounded_to<float>(dtype, value) == value;
         });
}

}  // namespace

std::string why_not(const CtcSupport& support, const CtcCase& c) {
  const std::int64_t longest = c.target_lengths.empty() ? 0 : *std::ranges::max_element(c.target_lengths);
  return WhyNot()
      .at_most(support.largest_T, "T", c.T)
      .at_most(support.largest_B, "B", c.B)
      .at_most(support.largest_C, "C", c.C)
      .at_most(support.largest_S, "S", longest)
      .unless(c.input == CtcInput::logits ? support.logits : support.log_probs,
              c.input == CtcInput::logits ? "logits" : "log_probs")
      .unless(c.variable == CtcVariable::logits ? support.gradient_of_logits : support.gradient_of_log_probs,
              c.variable == CtcVariable::logits ? "dL/dlogits" : "dL/dlog_probs")
      .unless(c.layout == CtcTargets::padded ? support.padded : support.concatenated,
              c.layout == CtcTargets::padded ? "padded targets" : "concatenated targets")
      .unless(c.reduction != Reduction::none || support.reduction_none, "reduction 'none'")
      .unless(c.reduction != Reduction::sum || support.reduction_sum, "reduction 'sum'")
      .unless(c.reduction != Reduction::mean || support.reduction_mean, "reduction 'mean'")
      .unless(c.upstream.empty() || support.upstream, "an upstream gradient")
      .unless(!c.zero_infinity || support.zero_infinity, "zero_infinity")
      .unless(c.blank == 0 || support.any_blank, "a blank other than 0")
      .unless(support.empty || !is_empty(c), "empty rows")
      .unless(is_of_type(support.dtype, c), "activations that are not of its type")
      .reason();
}

void adapt(const CtcSupport& support, CtcCase& c) {
  if (support.dtype == Dtype::float32) return;
  for (float& value : c.activations) value = rounded_to<float>(support.dtype, value);
}

}  // namespace assay::validation
