#include "validation/ctc/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "metal/cpu/ctc/output.h"
#include "reference/ctc/validate.h"
#include "validation/core/infinity.h"
#include "validation/core/npz_batch.h"
#include "validation/core/operation_of.h"

namespace assay::validation {
namespace {

float rounded_to_unit(float value, float unit) {
  return std::isfinite(value) ? std::round(value / unit) * unit : value;
}

/// The reason why activations are beyond the kernel's limits, or "".
std::string beyond_limits(const CtcKernelInfo& info, const CtcCase& c) {
  double size = 0, spread = 0;
  for (std::int64_t t = 0; t < c.T; ++t)
    for (std::int64_t b = 0; b < c.B; ++b) {
      double smallest = infinity, largest = -infinity;
      for (std::int64_t k = 0; k < c.C && t < c.input_lengths[static_cast<std::size_t>(b)]; ++k) {
        const double a{c.activation(t, b, k)};
        if (!std::isfinite(a)) continue;
        smallest = std::min(smallest, a);
        largest = std::max(largest, a);
        size = std::max(size, std::abs(a));
      }
      spread = std::max(spread, largest - smallest);
    }
  if (info.largest_activation > 0 && size > info.largest_activation)
    return fmt::format("the kernel does not do activations beyond {:g}", info.largest_activation);
  if (info.largest_spread > 0 && spread > info.largest_spread)
    return fmt::format("the kernel does not do frames whose activations differ by more than {:g}", info.largest_spread);
  return "";
}

/// An upper bound on a finite loss of row b: the sum over the frames of the largest -ln y.
double largest_loss(const CtcCase& c, std::int64_t b) {
  double loss = 0;
  for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)]; ++t) {
    double smallest = 0, largest = c.input == CtcInput::logits ? double{c.activation(t, b, 0)} : 0;
    for (std::int64_t k = 0; k < c.C; ++k) {
      const double value{c.activation(t, b, k)};
      if (std::isfinite(value)) smallest = std::min(smallest, value);
      largest = std::max(largest, value);
    }
    loss += largest - smallest + (c.input == CtcInput::logits ? std::log(static_cast<double>(c.C)) : 0);
  }
  return loss;
}

}  // namespace

const char* CtcFields::activations_name(const Case& c) {
  return c.input == CtcInput::logits ? "logits" : "log_probs";
}

std::int64_t CtcFields::longest_target(const Case& c) {
  return c.target_lengths.empty() ? 0 : *std::ranges::max_element(c.target_lengths);
}

std::int64_t CtcFields::states(const Statement& s) {
  std::int64_t longest = s.S;
  if (s.layout == CtcTargets::concatenated)
    longest = s.target_lengths.empty() ? 0 : *std::ranges::max_element(s.target_lengths);
  return 2 * longest + 1;
}

bool CtcFields::has_empty_rows(const Case& c) {
  const auto none = [](std::int64_t length) { return length == 0; };
  return c.T == 0 || c.B == 0 || std::ranges::any_of(c.input_lengths, none) ||
         std::ranges::any_of(c.target_lengths, none);
}

std::string CtcFields::further_reason(const Info& info, const Case& c) {
  if (info.largest_activation > 0 || info.largest_spread > 0)
    if (std::string reason = beyond_limits(info, c); !reason.empty()) return reason;
  if (c.dtype == Dtype::float32 || !info.losses_of_dtype) return "";
  double total = 0, largest = 0;
  for (std::int64_t b = 0; b < c.B; ++b) {
    const double loss = largest_loss(c, b);
    total += loss;
    largest = std::max({largest, loss, std::abs(c.row_weight(b))});
  }
  const double beyond = c.reduction == Reduction::none ? largest : std::max(largest, total);
  return beyond < format_of(c.dtype).largest ? ""
                                             : "the kernel does not do losses that may leave the range of its type";
}

void CtcFields::validate(const Problem& problem, const Output& out) {
  metal::with_types(problem, out, [](const auto& typed, const auto& output) {
    reference::validate(typed);
    metal::cpu::validate_output(typed, output);
    reference::validate_activations(typed);
  });
}

ValueShrinks<float> CtcFields::shrinks() {
  return {{[](float) { return 0.0F; }, [](float a) { return std::isfinite(a) ? a : 0.0F; },
           [](float a) { return rounded_to_unit(a, 1.0F); }, [](float a) { return rounded_to_unit(a, 0.25F); },
           [](float a) { return rounded_to_unit(a, 0.0625F); }},
          {[](float a) { return a == 0 ? a : 0.0F; }, [](float a) { return rounded_to_unit(a, 1.0F); },
           [](float a) { return a == 0 ? a : std::trunc(a / 2) + 0.0F; }}};
}

void CtcFields::npz_names(std::set<std::string>& names) {
  for (const char* const implied : {"input", "layout", "activations"}) names.erase(implied);
  names.insert({"logits", "log_probs"});
}

/// Adds the axis of the batch to the arrays of a single row, and sets the options that follow from names and axes.
void CtcFields::prepare_npz(NpzContents& contents, Case& c) {
  auto& arrays = contents.arrays;
  if (arrays.contains("logits") && arrays.contains("log_probs"))
    refuse("both logits and log_probs: expected one of them");
  c.input = arrays.contains("log_probs") ? CtcInput::log_probs : CtcInput::logits;
  const auto activations = arrays.find(activations_name(c));
  if (activations == arrays.end()) return;
  auto& shape = activations->second.header.shape;
  const bool one_row = shape.size() == 2;
  if (one_row) shape.insert(shape.begin() + 1, 1);
  const bool one = shape.size() == 3 && shape[1] == 1;
  for (const char* const array : {"input_lengths", "target_lengths"})
    if (const auto lengths = arrays.find(array); one && lengths != arrays.end() && lengths->second.header.shape.empty())
      lengths->second.header.shape = {1};
  const auto targets = arrays.find("targets");
  if (targets == arrays.end()) return;
  auto& axes = targets->second.header.shape;
  if (one_row && axes.size() == 1) axes.insert(axes.begin(), 1);
  c.layout = axes.size() == 1 ? CtcTargets::concatenated : CtcTargets::padded;
}

void CtcFields::finish_npz(Case& c) {
  if (c.layout == CtcTargets::concatenated) c.S = std::max<std::int64_t>(0, longest_target(c));
}

const char* CtcFields::npz_hint(const Case& c, const std::vector<std::int64_t>& shape) {
  const bool batch_first = !shape.empty() && shape.size() < 3 && shape[0] == c.T;
  return batch_first ? "; are the activations batch first? transpose them" : "";
}

void CtcFields::adapt_input(const Support& support, Case& c) {
  if (c.input == CtcInput::log_probs || support.does("logits") || !support.does("log_probs")) return;
  c = to_log_probs(std::move(c));
  round_to_dtype(c);
}

template struct OperationOf<CtcFields>;

}  // namespace assay::validation
