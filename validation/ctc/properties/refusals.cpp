// The error contract: a kernel refuses each kind of bad argument with a message that names the argument, and writes
// nothing outside its outputs.
#include <limits>

#include "validation/core/infinity.h"
#include "validation/core/properties.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

/// A valid problem of T=4, B=2, C=3, S=2, which each row below spoils in one way.
CtcCase healthy(const CtcCase& c) {
  CtcCase d;
  d.T = 4;
  d.B = 2;
  d.C = 3;
  d.dtype = c.dtype;
  d.input_lengths = {4, 3};
  d.blank = c.blank % 3;
  d.layout = c.layout;
  d.reduction = c.reduction;
  d.zero_infinity = c.zero_infinity;
  d.variable = c.variable;
  const std::int64_t one = (d.blank + 1) % 3;
  const std::int64_t two = (d.blank + 2) % 3;
  set_targets(d, {{one, two}, {two}});
  for (int i = 0; i < 24; ++i) d.activations.push_back(static_cast<float>(i % 5) * 0.5F);
  return d;
}

/// A kernel calls them by what they are.
constexpr const char* activations = "activations|logits|log_probs";

const BadArgumentOf<CtcOperation> bad_arguments[] = {
    {"a label equal to C", "targets", [](CtcCase& c, CtcFields::RunOptions&) { c.targets[0] = c.C; }},
    {"a label far out of range", "targets",
     [](CtcCase& c, CtcFields::RunOptions&) { c.targets[1] = std::numeric_limits<std::int64_t>::max(); }},
    {"a negative label", "targets", [](CtcCase& c, CtcFields::RunOptions&) { c.targets[0] = -1; }},
    {"a label equal to blank", "targets", [](CtcCase& c, CtcFields::RunOptions&) { c.targets[1] = c.blank; }},
    {"a negative target length", "target_lengths",
     [](CtcCase& c, CtcFields::RunOptions&) { c.target_lengths[1] = -1; }},
    {"a target length past S", "target",
     [](CtcCase& c, CtcFields::RunOptions&) {
       c.target_lengths[0] = c.layout == CtcTargets::padded ? 3 : 1'000'000'000'000;
     }},
    {"a negative input length", "input_lengths", [](CtcCase& c, CtcFields::RunOptions&) { c.input_lengths[0] = -1; }},
    {"an input length past T", "input_lengths", [](CtcCase& c, CtcFields::RunOptions&) { c.input_lengths[1] = 5; }},
    {"blank = C", "blank", [](CtcCase& c, CtcFields::RunOptions&) { c.blank = c.C; }},
    {"blank = -1", "blank", [](CtcCase& c, CtcFields::RunOptions&) { c.blank = -1; }},
    {"one input length missing", "input_lengths",
     [](CtcCase& c, CtcFields::RunOptions&) { c.input_lengths.pop_back(); }},
    {"one target length missing", "target_lengths",
     [](CtcCase& c, CtcFields::RunOptions&) { c.target_lengths.pop_back(); }},
    {"targets too short", "targets", [](CtcCase& c, CtcFields::RunOptions&) { c.targets.pop_back(); }},
    {"activations too short", activations, [](CtcCase& c, CtcFields::RunOptions&) { c.activations.pop_back(); }},
    {"an upstream element too many", "upstream",
     [](CtcCase& c, CtcFields::RunOptions&) { c.upstream.assign(3, 1.0F); }},
    {"upstream of the other reductions' size", "upstream",
     [](CtcCase& c, CtcFields::RunOptions&) { c.upstream.assign(c.reduction == Reduction::none ? 1 : 2, 1.0F); }},
    {"a loss output one too long", "loss", [](CtcCase&, CtcFields::RunOptions& options) { options.extra["loss"] = 1; }},
    {"a loss output one too short", "loss",
     [](CtcCase&, CtcFields::RunOptions& options) { options.extra["loss"] = -1; }},
    {"a gradient output one too short", "gradient",
     [](CtcCase&, CtcFields::RunOptions& options) { options.extra["gradient"] = -1; }},
    {"T negative", "T", [](CtcCase& c, CtcFields::RunOptions&) { c.T = -4; }},
    {"C = 0", "C", [](CtcCase& c, CtcFields::RunOptions&) { c.C = 0; }},
    {"T * B * C past 64 bits", "T|activations|logits|log_probs",
     [](CtcCase& c, CtcFields::RunOptions&) { c.T = std::int64_t{1} << 62; }},
    {"a NaN logit", activations,
     [](CtcCase& c, CtcFields::RunOptions&) { c.activation(2, 1, 1) = std::numeric_limits<float>::quiet_NaN(); }},
    {"a logit of +inf", activations,
     [](CtcCase& c, CtcFields::RunOptions&) { c.activation(3, 0, 2) = float_infinity; }},
    {"a frame of -inf alone", activations,
     [](CtcCase& c, CtcFields::RunOptions&) {
       c.activation(1, 0, 0) = c.activation(1, 0, 1) = c.activation(1, 0, 2) = -float_infinity;
     }},
};

}  // namespace

CtcProperty refusals() {
  return validation::refusals<CtcOperation>(healthy, bad_arguments);
}

}  // namespace assay::validation::properties
