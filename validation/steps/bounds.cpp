// ctc_bounds: the largest errors that rounding may cause in a correct kernel on one sequence (docs/bounds.md).
#include "validation/ctc/bounds.h"

#include <cmath>
#include <utility>

#include "validation/steps/request.h"
#include "validation/steps/steps.h"
#include "validation/steps/text.h"

namespace assay::validation {
namespace {

using reference::detail::refuse;
using steps::Json;

CtcCase case_of(const Json& request) {
  const auto logits = steps::matrix_of<float>(request, "logits", [](const Json& value, const std::string& name) {
    const double x = steps::real_of(value, name);
    if (static_cast<double>(static_cast<float>(x)) != x && !std::isnan(x))
      refuse(name, " = ", value.dump(), ": expected a float32, which bounds are derived for");
    return static_cast<float>(x);
  });
  CtcCase c;
  c.T = logits.rows();
  c.B = 1;
  c.C = logits.cols();
  c.blank = steps::integer_or(request, "blank", 0);
  for (std::int64_t t = 0; t < c.T; ++t)
    c.activations.insert(c.activations.end(), logits.row(t).begin(), logits.row(t).end());
  c.input_lengths = {c.T};
  set_targets(c, {steps::labels_of(request, c.blank)});
  require_valid(c);
  return c;
}

CtcKernelInfo kernel_of(const Json& request) {
  CtcKernelInfo kernel;
  const std::string arithmetic = steps::text_or(request, "arithmetic", "log_space");
  if (arithmetic != "log_space" && arithmetic != "probability")
    refuse("arithmetic = ", arithmetic, ": expected log_space or probability");
  kernel.arithmetic = arithmetic == "log_space" ? Arithmetic::log_space : Arithmetic::probability;
  kernel.unit_roundoff = steps::real_or(request, "unit_roundoff", std::ldexp(1.0, -24));
  kernel.output_unit_roundoff = steps::real_or(request, "output_unit_roundoff", std::ldexp(1.0, -24));
  kernel.two_step = request.value("two_step", false);
  return kernel;
}

}  // namespace

std::string ctc_bounds(std::string_view request) {
  return steps::respond(request, [](const Json& r) -> Json {
    const CtcCase c = case_of(r);
    const CtcKernelInfo kernel = kernel_of(r);
    const CtcBounds bounds(c, kernel);
    if (!bounds.possible(0)) refuse("labels: expected some alignment of a probability above 0");
    Json gradient = Json::array();
    for (std::int64_t t = 0; t < c.T; ++t) {
      Json frame = Json::array();
      for (std::int64_t k = 0; k < c.C; ++k) frame.push_back(steps::text(bounds.gradient(t, 0, k), 0));
      gradient.push_back(std::move(frame));
    }
    return {{"loss", steps::text(bounds.loss(0), 0)}, {"gradient", std::move(gradient)}};
  });
}

}  // namespace assay::validation
