#include "validation/ctc/support.h"

#include <algorithm>
#include <cmath>

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

/// What the loss of row b cannot exceed, where it is finite: the largest -ln y of each frame, added up.
double largest_loss(const CtcCase& c, std::int64_t b) {
  double loss = 0;
  for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)]; ++t) {
    double least = 0, most = c.input == CtcInput::logits ? double{c.activation(t, b, 0)} : 0;
    for (std::int64_t k = 0; k < c.C; ++k) {
      const double value{c.activation(t, b, k)};
      if (std::isfinite(value)) least = std::min(least, value);
      most = std::max(most, value);
    }
    loss += most - least + (c.input == CtcInput::logits ? std::log(static_cast<double>(c.C)) : 0);
  }
  return loss;
}

/// Are losses and gradients sure to be within the range of the type? That of float32 is left to the kernel.
bool fits_type(Dtype dtype, const CtcCase& c) {
  if (dtype == Dtype::float32) return true;
  double total = 0, largest = 0;
  for (std::int64_t b = 0; b < c.B; ++b) {
    const double loss = largest_loss(c, b);
    total += loss;
    largest = std::max({largest, loss, std::abs(c.row_weight(b))});
  }
  return (c.reduction == Reduction::none ? largest : std::max(largest, total)) < format_of(dtype).largest;
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
      .unless(fits_type(support.dtype, c), "losses that may leave the range of its type")
      .reason();
}

void adapt(const CtcSupport& support, CtcCase& c) {
  if (support.dtype == Dtype::float32) return;
  for (float& value : c.activations) value = rounded_to<float>(support.dtype, value);
}

}  // namespace assay::validation
