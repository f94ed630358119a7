#include "validation/svd/shrink.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

namespace assay::validation {
namespace {

using Shared = std::shared_ptr<const SvdCase>;
using Steps = std::vector<Shrink<SvdCase>>;

template <class Change>
void add(Steps& steps, const Shared& from, Change change) {
  steps.push_back(shrink_step<SvdCase>(from, change));
}

void add_structure(Steps& steps, const Shared& c) {
  for (std::int64_t b = 0; c->B > 1 && b < c->B; ++b) add(steps, c, [=](SvdCase& d) { d = select_matrix(d, b); });
  for_each_part(c->B, [&](std::int64_t first, std::int64_t last) {
    if (last - first < c->B) add(steps, c, [=](SvdCase& d) { d = select_matrices(d, all_but(d.B, first, last)); });
  });
  for_each_part(c->M, [&](std::int64_t first, std::int64_t last) {
    if (last - first < c->M) add(steps, c, [=](SvdCase& d) { d = select_rows(d, all_but(d.M, first, last)); });
  });
  for_each_part(c->N, [&](std::int64_t first, std::int64_t last) {
    if (last - first < c->N) add(steps, c, [=](SvdCase& d) { d = select_columns(d, all_but(d.N, first, last)); });
  });
}

void change_values(SvdCase& c, double (*change)(double)) {
  for (double& value : c.A) value = rounded_to<double>(c.dtype, change(value));
}

/// All elements divided by the power of two that brings the largest near 1.
void normalise(SvdCase& c) {
  double largest = 0;
  for (std::int64_t b = 0; b < c.B; ++b) largest = std::max(largest, largest_element(c, b));
  if (!(largest > 0)) return;
  for (double& value : c.A) value = rounded_to<double>(c.dtype, std::ldexp(value, -std::ilogb(largest)));
}

void add_values(Steps& steps, const Shared& c) {
  add(steps, c, [](SvdCase& d) {
    d.dtype = Dtype::float32;
    change_values(d, [](double a) { return a; });
  });
  add(steps, c, normalise);
  for (const auto change : {+[](double) { return 0.0; }, +[](double a) { return std::round(a); },
                            +[](double a) { return std::round(a * 4) / 4; }})
    add(steps, c, [=](SvdCase& d) { change_values(d, change); });
  if (c->A.size() > 64) return;
  for (std::size_t i = 0; i < c->A.size(); ++i) {
    add(steps, c, [=](SvdCase& d) { d.A[i] = 0.0; });
    add(steps, c, [=](SvdCase& d) { d.A[i] = std::trunc(d.A[i] / 2) + 0.0; });
    add(steps, c, [=](SvdCase& d) { d.A[i] = std::abs(d.A[i]); });
  }
}

}  // namespace

std::vector<Shrink<SvdCase>> shrinks_of(const SvdCase& c) {
  Steps steps;
  const auto shared = std::make_shared<const SvdCase>(c);
  add_structure(steps, shared);
  add_values(steps, shared);
  for (auto& step : steps) step = valid_only(std::move(step));
  return steps;
}

}  // namespace assay::validation
