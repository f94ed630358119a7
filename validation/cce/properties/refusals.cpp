// The error contract: a kernel refuses each kind of bad argument with a message that names the argument, and writes
// nothing outside its outputs.
#include <limits>

#include "validation/cce/properties/properties.h"
#include "validation/core/infinity.h"
#include "validation/core/properties.h"

namespace assay::validation::cce {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr auto largest = std::numeric_limits<std::int64_t>::max();

/// A valid problem of N=3, H=2, V=4 with a bias, which each row below spoils in one way.
CceCase healthy(const CceCase& c) {
  CceCase d;
  d.N = 3;
  d.H = 2;
  d.V = 4;
  d.dtype = c.dtype;
  d.hidden = {0.5F, -1, 0.25F, 2, 1, 0};
  d.weight = {1, 0, -1, 0.5F, 0, 1, 2, -2};
  d.bias = {0, 0.5F, -0.5F, 1};
  d.targets = {3, 0, 2};
  d.reduction = c.reduction;
  return d;
}

const BadArgumentOf<CceOperation> bad_arguments[] = {
    {"a target equal to V", "targets", [](CceCase& c, CceFields::RunOptions&) { c.targets[0] = c.V; }},
    {"a target far out of range", "targets", [](CceCase& c, CceFields::RunOptions&) { c.targets[2] = largest; }},
    {"a target past 32 bits", "targets",
     [](CceCase& c, CceFields::RunOptions&) { c.targets[1] = (std::int64_t{1} << 32) + 1; }},
    {"a negative target", "targets", [](CceCase& c, CceFields::RunOptions&) { c.targets[1] = -1; }},
    {"one target missing", "targets", [](CceCase& c, CceFields::RunOptions&) { c.targets.pop_back(); }},
    {"hidden too short", "hidden", [](CceCase& c, CceFields::RunOptions&) { c.hidden.pop_back(); }},
    {"weight too short", "weight", [](CceCase& c, CceFields::RunOptions&) { c.weight.pop_back(); }},
    {"bias too short", "bias", [](CceCase& c, CceFields::RunOptions&) { c.bias.pop_back(); }},
    {"weight of another type", "weight",
     [](CceCase&, CceFields::RunOptions& options) { options.other_type = {"weight"}; }},
    {"an upstream element too many", "upstream",
     [](CceCase& c, CceFields::RunOptions&) { c.upstream.assign(4, 1.0F); }},
    {"upstream of the other reductions' size", "upstream",
     [](CceCase& c, CceFields::RunOptions&) { c.upstream.assign(c.reduction == Reduction::none ? 1 : 3, 1.0F); }},
    {"an upstream of NaN", "upstream",
     [](CceCase& c, CceFields::RunOptions&) {
       c.upstream.assign(c.reduction == Reduction::none ? 3 : 1, static_cast<float>(nan));
     }},
    {"a negative softcap", "logit_softcap", [](CceCase& c, CceFields::RunOptions&) { c.logit_softcap = -30; }},
    {"a softcap of NaN", "logit_softcap", [](CceCase& c, CceFields::RunOptions&) { c.logit_softcap = nan; }},
    {"label smoothing above 1", "label_smoothing", [](CceCase& c, CceFields::RunOptions&) { c.label_smoothing = 1.5; }},
    {"negative label smoothing", "label_smoothing",
     [](CceCase& c, CceFields::RunOptions&) { c.label_smoothing = -0.1; }},
    {"a z-loss of NaN", "z_loss", [](CceCase& c, CceFields::RunOptions&) { c.z_loss = nan; }},
    {"a loss output one too long", "loss", [](CceCase&, CceFields::RunOptions& options) { options.extra["loss"] = 1; }},
    {"a loss output one too short", "loss",
     [](CceCase&, CceFields::RunOptions& options) { options.extra["loss"] = -1; }},
    {"a dhidden output one too short", "dhidden",
     [](CceCase&, CceFields::RunOptions& options) { options.extra["dhidden"] = -1; }},
    {"a dweight output one too short", "dweight",
     [](CceCase&, CceFields::RunOptions& options) { options.extra["dweight"] = -1; }},
    {"a dbias output one too long", "dbias",
     [](CceCase&, CceFields::RunOptions& options) { options.extra["dbias"] = 1; }},
    {"a dbias without a bias", "dbias",
     [](CceCase& c, CceFields::RunOptions& options) {
       c.bias.clear();
       options.extra["dbias"] = 4;
     }},
    {"N negative", "N", [](CceCase& c, CceFields::RunOptions&) { c.N = -3; }},
    {"H = 0", "H", [](CceCase& c, CceFields::RunOptions&) { c.H = 0; }},
    {"V = 0", "V", [](CceCase& c, CceFields::RunOptions&) { c.V = 0; }},
    {"N * H past 64 bits", "N|H|hidden", [](CceCase& c, CceFields::RunOptions&) { c.N = largest / 2 + 2; }},
    {"V * H past 64 bits", "V|H|weight", [](CceCase& c, CceFields::RunOptions&) { c.V = largest / 2 + 5; }},
    {"N = V = 2^40, and arrays too short for them", "N|V|hidden|weight|targets|bias",
     [](CceCase& c, CceFields::RunOptions&) { c.N = c.V = std::int64_t{1} << 40; }},
    {"a NaN in hidden", "hidden",
     [](CceCase& c, CceFields::RunOptions&) { c.hidden_at(1, 1) = static_cast<float>(nan); }},
    {"an infinity in hidden", "hidden", [](CceCase& c, CceFields::RunOptions&) { c.hidden_at(2, 0) = float_infinity; }},
    {"a NaN in weight", "weight",
     [](CceCase& c, CceFields::RunOptions&) { c.weight_at(3, 0) = static_cast<float>(nan); }},
    {"an infinity in weight", "weight",
     [](CceCase& c, CceFields::RunOptions&) { c.weight_at(0, 1) = -float_infinity; }},
    {"a NaN in bias", "bias", [](CceCase& c, CceFields::RunOptions&) { c.bias[2] = static_cast<float>(nan); }},
    {"a bias of +inf", "bias", [](CceCase& c, CceFields::RunOptions&) { c.bias[0] = float_infinity; }},
    {"a bias of -inf alone", "bias", [](CceCase& c, CceFields::RunOptions&) { c.bias.assign(4, -float_infinity); }},
};

}  // namespace

CceProperty refusals() {
  return validation::refusals<CceOperation>(healthy, bad_arguments);
}

}  // namespace assay::validation::cce
