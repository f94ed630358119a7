// The error contract: each kind of bad argument is refused with a message that names it, and nothing outside the
// outputs is touched on the way. A number in answer to any of these is an error.
#include <limits>

#include "validation/cce/properties/properties.h"
#include "validation/cce/run.h"
#include "validation/core/refusal.h"

namespace assay::validation::cce {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr auto largest = std::numeric_limits<std::int64_t>::max();

/// A healthy problem of N=3, H=2, V=4 with a bias, which each row below spoils in one way.
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

const BadArgument<CceCase, CceRunOptions> bad_arguments[] = {
    {"a target equal to V", "targets", [](CceCase& c, CceRunOptions&) { c.targets[0] = c.V; }},
    {"a target far out of range", "targets", [](CceCase& c, CceRunOptions&) { c.targets[2] = largest; }},
    {"a target past 32 bits", "targets",
     [](CceCase& c, CceRunOptions&) { c.targets[1] = (std::int64_t{1} << 32) + 1; }},
    {"a negative target", "targets", [](CceCase& c, CceRunOptions&) { c.targets[1] = -1; }},
    {"one target missing", "targets", [](CceCase& c, CceRunOptions&) { c.targets.pop_back(); }},
    {"hidden too short", "hidden", [](CceCase& c, CceRunOptions&) { c.hidden.pop_back(); }},
    {"weight too short", "weight", [](CceCase& c, CceRunOptions&) { c.weight.pop_back(); }},
    {"bias too short", "bias", [](CceCase& c, CceRunOptions&) { c.bias.pop_back(); }},
    {"weight of another type", "weight", [](CceCase&, CceRunOptions& options) { options.weight_of_other_type = true; }},
    {"an upstream element too many", "upstream", [](CceCase& c, CceRunOptions&) { c.upstream.assign(4, 1.0F); }},
    {"upstream of the other reductions' size", "upstream",
     [](CceCase& c, CceRunOptions&) { c.upstream.assign(c.reduction == Reduction::none ? 1 : 3, 1.0F); }},
    {"an upstream of NaN", "upstream",
     [](CceCase& c, CceRunOptions&) {
       c.upstream.assign(c.reduction == Reduction::none ? 3 : 1, static_cast<float>(nan));
     }},
    {"a negative softcap", "logit_softcap", [](CceCase& c, CceRunOptions&) { c.logit_softcap = -30; }},
    {"a softcap of NaN", "logit_softcap", [](CceCase& c, CceRunOptions&) { c.logit_softcap = nan; }},
    {"label smoothing above 1", "label_smoothing", [](CceCase& c, CceRunOptions&) { c.label_smoothing = 1.5; }},
    {"negative label smoothing", "label_smoothing", [](CceCase& c, CceRunOptions&) { c.label_smoothing = -0.1; }},
    {"a z-loss of NaN", "z_loss", [](CceCase& c, CceRunOptions&) { c.z_loss = nan; }},
    {"a loss output one too long", "loss", [](CceCase&, CceRunOptions& options) { options.extra_loss = 1; }},
    {"a loss output one too short", "loss", [](CceCase&, CceRunOptions& options) { options.extra_loss = -1; }},
    {"a dhidden output one too short", "dhidden", [](CceCase&, CceRunOptions& options) { options.extra_dhidden = -1; }},
    {"a dweight output one too short", "dweight", [](CceCase&, CceRunOptions& options) { options.extra_dweight = -1; }},
    {"a dbias output one too long", "dbias", [](CceCase&, CceRunOptions& options) { options.extra_dbias = 1; }},
    {"a dbias without a bias", "dbias",
     [](CceCase& c, CceRunOptions& options) {
       c.bias.clear();
       options.extra_dbias = 4;
     }},
    {"N negative", "N", [](CceCase& c, CceRunOptions&) { c.N = -3; }},
    {"H = 0", "H", [](CceCase& c, CceRunOptions&) { c.H = 0; }},
    {"V = 0", "V", [](CceCase& c, CceRunOptions&) { c.V = 0; }},
    {"N * H past 64 bits", "N", [](CceCase& c, CceRunOptions&) { c.N = largest / 2 + 2; }},
    {"V * H past 64 bits", "V", [](CceCase& c, CceRunOptions&) { c.V = largest / 2 + 5; }},
    {"N * V past 64 bits", "N * V", [](CceCase& c, CceRunOptions&) { c.N = c.V = std::int64_t{1} << 40; }},
    {"a NaN in hidden", "hidden", [](CceCase& c, CceRunOptions&) { c.hidden_at(1, 1) = static_cast<float>(nan); }},
    {"an infinity in hidden", "hidden", [](CceCase& c, CceRunOptions&) { c.hidden_at(2, 0) = infinity; }},
    {"a NaN in weight", "weight", [](CceCase& c, CceRunOptions&) { c.weight_at(3, 0) = static_cast<float>(nan); }},
    {"an infinity in weight", "weight", [](CceCase& c, CceRunOptions&) { c.weight_at(0, 1) = -infinity; }},
    {"a NaN in bias", "bias", [](CceCase& c, CceRunOptions&) { c.bias[2] = static_cast<float>(nan); }},
    {"a bias of +inf", "bias", [](CceCase& c, CceRunOptions&) { c.bias[0] = infinity; }},
    {"a bias of -inf alone", "bias", [](CceCase& c, CceRunOptions&) { c.bias.assign(4, -infinity); }},
};

Finding check(const CceContext& context, const CceCase& c) {
  if (!context.kernel.info().support.checks_arguments)
    return Finding::skip("the kernel does not claim to check its arguments");
  const CceCase good = healthy(c);
  run_valid(context.kernel, good);
  return judge_refusals(context.kernel, good, bad_arguments);
}

}  // namespace

CceProperty refusals() {
  return {"refusals", "each kind of bad argument is refused by name", {}, check};
}

}  // namespace assay::validation::cce
