#include "validation/core/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

namespace assay::validation {
namespace {

void mark(MarkedIndices& marks, const Place& place) {
  const std::array index = {place.first, place.second, place.third};
  for (std::size_t i = 0; i < index.size(); ++i)
    if (index[i] >= 0) marks.mark(place.names[i], index[i]);
}

}  // namespace

std::string Place::text() const {
  const std::array index = {first, second, third};
  std::vector<std::string> indices;
  for (std::size_t i = 0; i < index.size(); ++i)
    if (index[i] >= 0) indices.push_back(fmt::format("{}={}", names[i], index[i]));
  if (indices.size() == 1) indices[0].erase(0, 2);
  return fmt::format("{}[{}]", output, fmt::join(indices, ", "));
}

bool Comparison::count(const Place& place, double bound, double range) {
  const bool is_one = judged_.add(bound, range);
  mark(met_, place);
  if (is_one) mark(judged_indices_, place);
  return is_one;
}

void Comparison::weigh(double got, double value, double bound, double roundoff) {
  if (!std::isfinite(value) || !std::isfinite(bound) || bound == 0) return;
  evidence_.weigh(value, bound, roundoff);
  const double error = std::abs(got - value) / std::abs(value);
  if (std::isfinite(error)) relative_error_ = std::max(relative_error_, error);
}

void Comparison::must_judge(char letter, std::int64_t index, double bound, double range) {
  met_.mark(letter, index);
  if (is_judged(bound, range)) judged_indices_.mark(letter, index);
}

bool Comparison::misses_index() const {
  for (char letter = 'a'; letter <= 'z'; ++letter)
    if (judged_indices_.count(letter) < met_.count(letter)) return true;
  return false;
}

bool Comparison::accept(const Place& place, double error, double bound, double range, double value) {
  // A bound is infinite if a kernel claims very little. Even then the result must be finite.
  const bool passes = error <= bound && std::isfinite(error);
  const double size = range > 0 && range < no_range ? range : std::max(1.0, std::abs(value));
  const bool is_widened = passes && error > widest_ * size;
  const bool is_one = count(place, is_widened ? no_range : bound, range);
  const double share = error == 0 ? 0 : error / bound;
  if ((is_one || !passes) && !(share <= margin_.share)) margin_.take(share, place.text(), error);
  failures_ += passes ? 0 : 1;
  return passes;
}

template <class Real>
void Comparison::same_special(const Place& place, Real got, double expected) {
  const bool alike = std::isnan(expected) ? std::isnan(got) : double{got} == expected;
  if (accept(place, alike ? 0 : std::numeric_limits<double>::infinity(), 0, no_range, 0) || failures_ > 1) return;
  clue_ = Clue::number(expected, double{got});
  first_failure_ = fmt::format("{}\n  expected {}\n  got      {}", place.text(),
                               std::isnan(expected) ? "nan" : fmt::format("{}", expected), show(got));
}

template <class Real>
void Comparison::hold(const Place& place, Real got, double expected, double bound, double range) {
  if (!std::isfinite(expected)) return same_special(place, got, expected);
  if (std::abs(expected) > bound && is_judged(bound, range)) mark(noticed_.elements, place);
  const double error = std::abs(double{got} - expected);
  if (accept(place, error, bound, range, expected) || failures_ > 1) return;
  clue_ = Clue::number(expected, double{got});
  const std::string beyond = std::isnan(bound) ? "" : fmt::format(" where the bound is {:.3g}", bound);
  first_failure_ =
      fmt::format("{}\n  expected {:.17g} ({})\n  got      {}", place.text(), expected, hexadecimal(expected),
                  explain_error(got, fmt::format("{:.3g}{}", error, beyond), bound));
}

template <class Real, class Exact>
void Comparison::hold_exact(const Place& place, Real got, const Exact& exact, double bound, double range) {
  const double rounded = to_double(exact);
  if (!is_finite(exact)) return same_special(place, got, rounded);
  if (std::abs(rounded) > bound && is_judged(bound, range)) mark(noticed_.elements, place);
  // Nearly all errors are told in double, whose own error is a millionth of the bound, from what the bound allows.
  const double nearly = std::abs(double{got} - rounded);
  if (nearly <= 0.99 * bound && std::abs(rounded) <= 0x1p31 * bound && std::isfinite(bound))
    return void(accept(place, nearly, bound, range, rounded));
  const double error = std::isfinite(got) ? absolute_difference(BigFloat(got), exactly(exact))
                                          : std::abs(double{got});  // NaN stays NaN, infinity infinite
  if (accept(place, error, bound, range, rounded) || failures_ > 1) return;
  clue_ = Clue::number(rounded, double{got});
  first_failure_ = place.text() + "\n" + explain(got, exactly(exact), error, bound);
}

void Comparison::near(const Place& place, float got, double expected, double bound, double range) {
  hold(place, got, expected, bound, range);
}

void Comparison::near(const Place& place, double got, double expected, double bound, double range) {
  hold(place, got, expected, bound, range);
}

void Comparison::near(const Place& place, float got, const BigFloat& exact, double bound, double range) {
  hold_exact(place, got, exact, bound, range);
}

void Comparison::near(const Place& place, double got, const BigFloat& exact, double bound, double range) {
  hold_exact(place, got, exact, bound, range);
}

template void Comparison::hold_exact(const Place&, float, const BigFloat&, double, double);
template void Comparison::hold_exact(const Place&, double, const BigFloat&, double, double);
template void Comparison::hold_exact(const Place&, float, const long double&, double, double);
template void Comparison::hold_exact(const Place&, double, const long double&, double, double);

void Comparison::fail(const std::string& why, Clue clue) {
  if (failures_++ > 0) return;
  first_failure_ = why;
  clue_ = clue;
}

Finding Comparison::finding() const {
  const std::string others = failures_ > 1 ? fmt::format("\n  and {} more", failures_ - 1) : "";
  Finding finding = failures_ == 0 ? Finding::pass(margin_) : Finding::fail(first_failure_ + others, margin_, clue_);
  if (failures_ == 0) finding.noticed = std::make_shared<const Noticed>(noticed_);
  finding.judged = judged_;
  finding.evidence = evidence_;
  finding.relative_error = relative_error_;
  finding.judged.misses_index = misses_index();
  return finding;
}

template <class Real>
void Comparison::hold_bits(const Place& place, Real first, Real second, const std::string& what) {
  using Bits = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
  judged_.add(0, no_range);
  if (std::bit_cast<Bits>(first) == std::bit_cast<Bits>(second) || (std::isnan(first) && std::isnan(second))) return;
  fail(fmt::format("{}: {}\n  first    {}\n  second   {}", place.text(), what, show(first), show(second)),
       {Clue::Kind::other_bits});
}

void Comparison::same_bits(const Place& place, float first, float second, const std::string& what) {
  hold_bits(place, first, second, what);
}

void Comparison::same_bits(const Place& place, double first, double second, const std::string& what) {
  hold_bits(place, first, second, what);
}

}  // namespace assay::validation
