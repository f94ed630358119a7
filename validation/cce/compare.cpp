#include "validation/cce/compare.h"

#include <cmath>

namespace assay::validation {
namespace {

Place matrix_place(const char* output, const char* names, std::int64_t columns, std::size_t i) {
  const auto offset = static_cast<std::int64_t>(i);
  return {output, offset / columns, offset % columns, -1, names};
}

}  // namespace

Place loss_place(std::size_t i) {
  return {"loss", static_cast<std::int64_t>(i), -1, -1, "n"};
}

Place dhidden_place(const CceCase& c, std::size_t i) {
  return matrix_place("dhidden", "nh", c.H, i);
}

Place dweight_place(const CceCase& c, std::size_t i) {
  return matrix_place("dweight", "vh", c.H, i);
}

Place dbias_place(std::size_t v) {
  return {"dbias", static_cast<std::int64_t>(v), -1, -1, "v"};
}

bool may_overflow(double exact, double bound, double largest, float got) {
  return std::abs(exact) + bound > largest && std::abs(got) > largest / 2 && std::signbit(got) == std::signbit(exact);
}

void CceRunComparison::near(const Place& place, float got, float expected, double bound, double range) {
  // A 16-bit gradient may overflow in one run and stay below the largest number in another.
  const double edge = got_.largest() - bound;
  if (std::abs(got) >= edge && std::abs(expected) >= edge && std::signbit(got) == std::signbit(expected)) {
    comparison_.count(place, bound, range);
  } else {
    comparison_.near(place, got, double{expected}, bound, range);
  }
}

void CceRunComparison::losses(const CceRun& got, const CceRun& expected) {
  for (std::size_t i = 0; i < got.loss.size(); ++i)
    comparison_.near(loss_place(i), got.loss[i], double{expected.loss[i]}, got_.loss(i) + expected_.loss(i));
}

void CceRunComparison::gradients(const CceRun& got, const CceRun& expected) {
  for (std::size_t i = 0; i < got.dhidden.size(); ++i)
    near(dhidden_place(case_, i), got.dhidden[i], expected.dhidden[i],
         got_.dhidden(i, got.dhidden[i]) + expected_.dhidden(i, expected.dhidden[i]), expected_.dhidden_range(i));
  for (std::size_t i = 0; i < got.dweight.size(); ++i)
    near(dweight_place(case_, i), got.dweight[i], expected.dweight[i],
         got_.dweight(i, got.dweight[i]) + expected_.dweight(i, expected.dweight[i]), expected_.dweight_range(i));
  for (std::size_t v = 0; v < got.dbias.size(); ++v)
    near(dbias_place(v), got.dbias[v], expected.dbias[v],
         got_.dbias(v, got.dbias[v]) + expected_.dbias(v, expected.dbias[v]), expected_.dbias_range(v));
}

void CceRunComparison::all(const CceRun& got, const CceRun& expected) {
  losses(got, expected);
  gradients(got, expected);
}

}  // namespace assay::validation
