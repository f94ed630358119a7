// Each element of the gradients agrees with the any-precision reference within its derived bound.
#include <functional>

#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

/// One of the three gradients: its members in a run, in the truth and in the bounds.
struct Gradient {
  std::vector<float> CceRun::* got;
  ExactValues CceTruth::* truth;
  double (CceBounds::*bound)(std::size_t, double) const;
  double (CceBounds::*range)(std::size_t) const;
  Place (*place)(const CceCase&, std::size_t);
  std::set<std::string> without;  ///< the other gradients
};

const Gradient of_hidden = {&CceRun::dhidden,          &CceTruth::dhidden, &CceBounds::dhidden,
                            &CceBounds::dhidden_range, dhidden_place,      {"dweight", "dbias"}};
const Gradient of_weight = {&CceRun::dweight,          &CceTruth::dweight, &CceBounds::dweight,
                            &CceBounds::dweight_range, dweight_place,      {"dhidden", "dbias"}};
const Gradient of_bias = {&CceRun::dbias,
                          &CceTruth::dbias,
                          &CceBounds::dbias,
                          &CceBounds::dbias_range,
                          [](const CceCase&, std::size_t v) { return dbias_place(v); },
                          {"dhidden", "dweight"}};

Finding compare(const CceContext& context, const CceCase& c, const Gradient& gradient) {
  if (gradient.got == &CceRun::dbias && c.bias.empty()) return Finding::skip("there is no bias");
  const auto [truth, bounds] = truth_and_bounds<CceBounds>(context, c);
  const std::vector<float> got = run_valid(context.kernel, c, {.without = gradient.without}).*gradient.got;
  const ExactValues& exact = (*truth).*gradient.truth;
  Comparison comparison(widest_share(context.kernel.info().largest_rounding(c.dtype)));
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double size = exact.with(i, [](const auto& value) { return static_cast<double>(value); });
    const double bound = (bounds.*gradient.bound)(i, size);
    const double range = (bounds.*gradient.range)(i);
    if (may_overflow(size, bound, bounds.largest(), got[i])) {
      comparison.count(gradient.place(c, i), bound, range);
    } else {
      comparison.near(gradient.place(c, i), got[i], exact, i, bound, range);
    }
  }
  return comparison.finding();
}

CceProperty property(const char* name, const char* claim, const CceProfile& profile, const Gradient& gradient) {
  const auto check = [&gradient](const CceContext& context, const CceCase& c) { return compare(context, c, gradient); };
  return {name, claim, profile, check, true};
}

}  // namespace

CceProperty dhidden() {
  return property("dhidden", "each dL/dhidden within its bound", {}, of_hidden);
}

CceProperty dweight() {
  return property("dweight", "each dL/dweight within its bound", {}, of_weight);
}

CceProperty dbias() {
  return property("dbias", "each dL/dbias within its bound", {.bias = 1}, of_bias);
}

CceProperty softcap() {
  return property("softcap", "and dL/dhidden through a cap", {.softcap = 1}, of_hidden);
}

}  // namespace assay::validation::cce
