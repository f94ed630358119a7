#include "validation/ctc/compare.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "validation/core/number.h"

namespace assay::validation {

std::string Place::text() const {
  if (k >= 0) return fmt::format("{}[t={}, b={}, k={}]", output, t, b, k);
  if (t >= 0) return fmt::format("{}[t={}, b={}]", output, t, b);
  return fmt::format("{}[{}]", output, b);
}

bool Comparison::accept(const Place& place, double error, double bound) {
  ++compared_;
  const double share = error == 0 ? 0 : error / bound;
  if (!(share <= margin_.share)) margin_.take(share, place.text());
  // A bound may be infinite, where a kernel claims too little; even then a number is due.
  if (error <= bound && std::isfinite(error)) return true;
  ++failures_;
  return false;
}

void Comparison::near(const Place& place, float got, double expected, double bound) {
  if (!std::isfinite(expected)) return same_special(place, got, expected);
  const double error = std::abs(double{got} - expected);
  if (accept(place, error, bound) || failures_ > 1) return;
  first_failure_ =
      fmt::format("{}\n  expected {:.17g} ({:a})\n  got      {}\n  error    {:.3g} where the bound is {:.3g}",
                  place.text(), expected, expected, show(got), error, bound);
}

void Comparison::same_special(const Place& place, float got, double expected) {
  const bool alike = std::isnan(expected) ? std::isnan(got) : double{got} == expected;
  if (accept(place, alike ? 0 : std::numeric_limits<double>::infinity(), 0) || failures_ > 1) return;
  first_failure_ = fmt::format("{}\n  expected {}\n  got      {}", place.text(),
                               std::isnan(expected) ? "nan" : fmt::format("{}", expected), show(got));
}

void Comparison::near(const Place& place, float got, const BigFloat& exact, double bound) {
  if (!is_finite(exact)) return near(place, got, to_double(exact), bound);
  const double error = std::isfinite(got) ? absolute_difference(BigFloat(got), exact)
                                          : std::abs(double{got});  // NaN stays NaN, infinity infinite
  if (accept(place, error, bound) || failures_ > 1) return;
  first_failure_ = place.text() + "\n" + explain(got, exact, error, bound);
}

void Comparison::fail(const std::string& why) {
  if (failures_++ == 0) first_failure_ = why;
}

Finding Comparison::finding() const {
  if (failures_ == 0) return Finding::pass(margin_);
  const std::string others = failures_ > 1 ? fmt::format("\n  and {} more", failures_ - 1) : "";
  return Finding::fail(first_failure_ + others, margin_);
}

Finding same_bits(const CtcCase& c, const CtcRun& first, const CtcRun& second, const std::string& what) {
  Comparison comparison;
  const auto differ = [](float a, float b) {
    return std::bit_cast<std::uint32_t>(a) != std::bit_cast<std::uint32_t>(b);
  };
  const auto report = [&](const Place& place, float a, float b) {
    comparison.fail(fmt::format("{}: {}\n  first    {}\n  second   {}", place.text(), what, show(a), show(b)));
  };
  for (std::size_t i = 0; i < first.loss.size(); ++i) {
    if (differ(first.loss[i], second.loss[i])) {
      report({"loss", -1, static_cast<std::int64_t>(i)}, first.loss[i], second.loss[i]);
    }
  }
  if (first.gradient.size() != second.gradient.size()) return comparison.finding();
  for (std::size_t i = 0; i < first.gradient.size(); ++i) {
    if (!differ(first.gradient[i], second.gradient[i])) continue;
    const auto offset = static_cast<std::int64_t>(i);
    report({"gradient", offset / (c.B * c.C), offset / c.C % c.B, offset % c.C}, first.gradient[i], second.gradient[i]);
  }
  return comparison.finding();
}

void compare_gradients(Comparison& comparison, const CtcCase& c, const CtcBounds& bounds, const CtcRun& got,
                       const CtcRun& expected, double slack) {
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)]; ++t) {
      const double bound = bounds.possible(b) ? slack * bounds.gradient(t, b) : 0;
      for (std::int64_t k = 0; k < c.C; ++k) {
        comparison.near({"gradient", t, b, k}, got.gradient_at(c, t, b, k), double{expected.gradient_at(c, t, b, k)},
                        bound);
      }
    }
  }
}

}  // namespace assay::validation
