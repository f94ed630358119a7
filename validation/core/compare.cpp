#include "validation/core/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

namespace assay::validation {

std::string Place::text() const {
  const std::array index = {first, second, third};
  std::vector<std::string> indices;
  for (std::size_t i = 0; i < index.size(); ++i)
    if (index[i] >= 0) indices.push_back(fmt::format("{}={}", names[i], index[i]));
  if (indices.size() == 1) indices[0].erase(0, 2);
  return fmt::format("{}[{}]", output, fmt::join(indices, ", "));
}

bool Comparison::accept(const Place& place, double error, double bound) {
  ++compared_;
  const double share = error == 0 ? 0 : error / bound;
  if (!(share <= margin_.share)) margin_.take(share, place.text(), error);
  // A bound is infinite if a kernel claims very little. Even then the result must be finite.
  if (error <= bound && std::isfinite(error)) return true;
  ++failures_;
  return false;
}

template <class Real>
void Comparison::same_special(const Place& place, Real got, double expected) {
  const bool alike = std::isnan(expected) ? std::isnan(got) : double{got} == expected;
  if (accept(place, alike ? 0 : std::numeric_limits<double>::infinity(), 0) || failures_ > 1) return;
  first_failure_ = fmt::format("{}\n  expected {}\n  got      {}", place.text(),
                               std::isnan(expected) ? "nan" : fmt::format("{}", expected), show(got));
}

void Comparison::notice(const Place& place, double expected, double bound) {
  if (!(std::abs(expected) > bound)) return;
  const std::array index = {place.first, place.second, place.third};
  for (std::size_t i = 0; i < index.size(); ++i)
    if (index[i] >= 0) noticed_.elements.mark(place.names[i], index[i]);
}

template <class Real>
void Comparison::hold(const Place& place, Real got, double expected, double bound) {
  if (!std::isfinite(expected)) return same_special(place, got, expected);
  notice(place, expected, bound);
  const double error = std::abs(double{got} - expected);
  if (accept(place, error, bound) || failures_ > 1) return;
  const std::string beyond = std::isnan(bound) ? "" : fmt::format(" where the bound is {:.3g}", bound);
  first_failure_ =
      fmt::format("{}\n  expected {:.17g} ({})\n  got      {}", place.text(), expected, hexadecimal(expected),
                  explain_error(got, fmt::format("{:.3g}{}", error, beyond), bound));
}

template <class Real, class Exact>
void Comparison::hold_exact(const Place& place, Real got, const Exact& exact, double bound) {
  const double rounded = to_double(exact);
  if (!is_finite(exact)) return same_special(place, got, rounded);
  notice(place, rounded, bound);
  // Nearly all errors are told in double, whose own error is a millionth of the bound, from what the bound allows.
  const double nearly = std::abs(double{got} - rounded);
  if (nearly <= 0.99 * bound && std::abs(rounded) <= 0x1p31 * bound && std::isfinite(bound))
    return void(accept(place, nearly, bound));
  const double error = std::isfinite(got) ? absolute_difference(BigFloat(got), exactly(exact))
                                          : std::abs(double{got});  // NaN stays NaN, infinity infinite
  if (accept(place, error, bound) || failures_ > 1) return;
  first_failure_ = place.text() + "\n" + explain(got, exactly(exact), error, bound);
}

void Comparison::near(const Place& place, float got, double expected, double bound) {
  hold(place, got, expected, bound);
}

void Comparison::near(const Place& place, double got, double expected, double bound) {
  hold(place, got, expected, bound);
}

void Comparison::near(const Place& place, float got, const BigFloat& exact, double bound) {
  hold_exact(place, got, exact, bound);
}

void Comparison::near(const Place& place, double got, const BigFloat& exact, double bound) {
  hold_exact(place, got, exact, bound);
}

template void Comparison::hold_exact(const Place&, float, const BigFloat&, double);
template void Comparison::hold_exact(const Place&, double, const BigFloat&, double);
template void Comparison::hold_exact(const Place&, float, const long double&, double);
template void Comparison::hold_exact(const Place&, double, const long double&, double);

void Comparison::fail(const std::string& why) {
  if (failures_++ == 0) first_failure_ = why;
}

Finding Comparison::finding() const {
  if (failures_ == 0) {
    Finding passed = Finding::pass(margin_);
    passed.noticed = std::make_shared<const Noticed>(noticed_);
    return passed;
  }
  const std::string others = failures_ > 1 ? fmt::format("\n  and {} more", failures_ - 1) : "";
  return Finding::fail(first_failure_ + others, margin_);
}

template <class Real>
void Comparison::hold_bits(const Place& place, Real first, Real second, const std::string& what) {
  using Bits = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
  if (std::bit_cast<Bits>(first) == std::bit_cast<Bits>(second) || (std::isnan(first) && std::isnan(second))) return;
  fail(fmt::format("{}: {}\n  first    {}\n  second   {}", place.text(), what, show(first), show(second)));
}

void Comparison::same_bits(const Place& place, float first, float second, const std::string& what) {
  hold_bits(place, first, second, what);
}

void Comparison::same_bits(const Place& place, double first, double second, const std::string& what) {
  hold_bits(place, first, second, what);
}

}  // namespace assay::validation
