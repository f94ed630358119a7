#include "validation/gradcheck/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "validation/core/number.h"

namespace assay::validation {
namespace {

/// |got - exact|. It is 0 if both are NaN or the same infinity, and infinite or NaN if only one of them is.
double error_of(double got, const BigFloat& exact) {
  if (!is_finite(exact)) return same_kind(BigFloat(got), exact) ? 0 : std::numeric_limits<double>::infinity();
  return std::isfinite(got) ? absolute_difference(BigFloat(got), exact) : std::abs(got);
}

/// A bound is infinite if a kernel claims very little. Even then the result must be finite.
bool is_within(double error, double bound) {
  return error <= bound && std::isfinite(error);
}

double rounded(const BigFloat& exact, Dtype dtype) {
  if (dtype == Dtype::float32) return double{static_cast<float>(exact)};
  return rounded_to<double>(dtype, to_double(exact));
}

/// NaN first, then from large to small.
bool is_worse(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
  return a > b;
}

}  // namespace

void JudgedGradient::judge() {
  expected.clear();
  error.clear();
  wrong.clear();
  for (std::size_t i = 0; i < got.size(); ++i) {
    expected.push_back(to_double(exact[i]));
    error.push_back(error_of(got[i], exact[i]));
    wrong.push_back(!is_within(error[i], bound[i]));
  }
}

double JudgedGradient::share(std::size_t i) const {
  return error[i] == 0 ? 0 : error[i] / bound[i];
}

GradcheckElement JudgedGradient::element(std::size_t i) const {
  return {place(i), to_decimal(exact[i], 25), rounded(exact[i], dtype), got[i], error[i], bound[i], share(i)};
}

bool JudgedGradient::fits(const std::vector<BigFloat>& other, const std::vector<double>& bounds,
                          const std::vector<bool>& skip) const {
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!skip.empty() && skip[i]) continue;
    if (!is_within(error_of(got[i], other[i]), bounds[i])) return false;
  }
  return true;
}

bool GradientJudgement::is_wrong() const {
  if (!out_of_bounds_write.empty()) return true;
  return std::any_of(gradients.begin(), gradients.end(), [](const JudgedGradient& gradient) {
    return std::find(gradient.wrong.begin(), gradient.wrong.end(), true) != gradient.wrong.end();
  });
}

std::vector<Pattern> unwritten(const Footprint& footprint) {
  if (footprint.unwritten.empty()) return {};
  return {{"unwritten", fmt::format("{} elements of the outputs are not written: {}", footprint.unwritten.size(),
                                    footprint.unwritten[0])}};
}

std::vector<GradcheckElement> worst_elements(const std::vector<JudgedGradient>& gradients, std::size_t worst) {
  struct At {
    double share;
    const JudgedGradient* gradient;
    std::size_t i;
  };
  std::vector<At> all;
  for (const JudgedGradient& gradient : gradients)
    for (std::size_t i = 0; i < gradient.size(); ++i)
      if (gradient.wrong[i]) all.push_back({gradient.share(i), &gradient, i});
  std::stable_sort(all.begin(), all.end(), [](const At& a, const At& b) { return is_worse(a.share, b.share); });
  std::vector<GradcheckElement> elements;
  for (const At& at : all)
    if (elements.size() < worst) elements.push_back(at.gradient->element(at.i));
  return elements;
}

}  // namespace assay::validation
