#include "metal/emulator/numerics/algebra.h"

#include <cfloat>
#include <cmath>
#include <iterator>
#include <optional>

#include "metal/emulator/numerics/algebra_operation.h"
#include "reference/number/residue_constant.h"

namespace assay::metal::emulator {

namespace {

using reference::Residue;

/// Whether the operation gives `result` without rounding, so that it needs no entry where its operands have none.
bool is_exact(Operation what, const Operands& operands, double result) {
  const auto [x, y, z] = operands.of;
  if (what == Operation::add || what == Operation::subtract) {
    const double other = what == Operation::add ? y : -y, rounded = result - x;
    return x + other == result && (x - (result - rounded)) + (other - rounded) == 0;
  }
  if (what == Operation::multiply) return x * y == result && std::fma(x, y, -result) == 0;
  const bool is_same_number = what == Operation::negate || what == Operation::absolute || what == Operation::convert ||
                              what == Operation::from_bits;
  return is_same_number && exactly(what, operands) == result;
}

/// Whether the result is a number, or one that its operands have made too large.
bool is_number(double result, std::uint32_t count, const Operands& operands) {
  bool had_numbers = true;
  for (std::uint32_t n = 0; n < count; ++n) had_numbers = had_numbers && std::isfinite(operands.of[n]);
  return std::isfinite(result) || (had_numbers && !std::isnan(result));
}

double mantissa_of(double value) {
  int exponent = 0;
  return std::fabs(std::frexp(value, &exponent));
}

bool is_power_of_two(double value) {
  return mantissa_of(value) == 0.5;
}

/// Literals of more bits whose meaning is not known are coefficients of an approximation.
bool is_coefficient(double value, const Residue& meant) {
  constexpr int bits = 20;
  int exponent = 0;
  const double mantissa = std::ldexp(std::frexp(value, &exponent), bits);
  return mantissa != std::floor(mantissa) && meant == Residue::of(value);
}

/// ln 2 is often kept in two or three parts (Cody and Waite), the first of few bits: the second stands for all the rest,
/// and the third for 0.
std::optional<Residue> rest_of_ln2(double value) {
  constexpr long double ln2 = 0.693147180559945309417232121458L;
  const auto is_near = [&](long double part) {
    return std::fabs(std::fabs(value) - std::fabs(part)) <= 0x1p-16L * std::fabs(part);
  };
  for (int bits = 4; bits <= 24; ++bits)
    for (const bool rounds : {false, true}) {
      const long double scaled = std::ldexp(ln2, bits),
                        rest_of_scaled = scaled - (rounds ? std::nearbyint(scaled) : std::floor(scaled));
      const long double rest = std::ldexp(rest_of_scaled, -bits), first = ln2 - rest;
      const bool is_all = first == static_cast<float>(ln2);  // as a float, the first part stands for ln 2 already
      if (is_near(rest - static_cast<float>(rest)) || (is_all && is_near(rest))) return Residue::of(std::int64_t{0});
      if (!is_near(rest)) continue;
      const Residue meant = reference::symbol_ln2() - Residue::of(static_cast<double>(first));
      return (value < 0) == (rest < 0) ? meant : -meant;
    }
  return std::nullopt;
}

/// Larger integers are no indices, but bits.
constexpr double most_index = 0x1p24;

Residue assumed(Residue residue) {
  residue.traits |= Residue::assumed;
  return residue;
}

/// A result may be 0 only because it is small, which kernels rely on: exp(-104) stands for exp(-inf) where powers of two
/// are multiplied. A function that gives 0 means a small number.
Residue with_underflow(Operation what, const Operands& values, double result, const Residue& residue) {
  if (result != 0 || residue.is_zero() || what == Operation::add || what == Operation::subtract) return residue;
  if (what == Operation::multiply && (values.of[0] == 0 || values.of[1] == 0)) return residue;
  return assumed(what == Operation::multiply ? Residue::of(std::int64_t{0}) : residue);
}

}  // namespace

void Algebra::clear() {
  forget_places();
  tape_.clear();
  constants_.clear();
  copies_.clear();
  taken_.clear();
  tied_.clear();
  tape_[tape_.add()] = {Residue::unknown(Residue::Reason::left_the_algebra), 0};
  tape_.add();
}

Residue Algebra::residue_of(std::uint32_t entry, double value) const {
  if (entry == 0) return Residue::of(value);
  return entry == replaced ? assumed(Residue::of(value)) : tape_[entry].residue;
}

std::uint32_t Algebra::add(const Residue& residue, double value) {
  const std::uint32_t added = tape_.add();
  if (added == 0) return unknown;
  tape_[added] = {residue, value};
  return added;
}

std::uint32_t Algebra::operation(const abi::Site*, std::uint32_t code, std::uint32_t count, const double* operands,
                                 double result, const std::uint32_t* entries) {
  const Operation what = operation_of(code);
  if ((code & stated_flag) != 0) {
    if (what == Operation::constant) return add(Residue::of(std::int64_t{0}), result);
    const Residue of = residue_of(entries[0], operands[0]);
    Residue stated = computed(what, {{operands[0]}}, {of});
    stated.traits |= of.traits & Residue::assumed;  // ln 1 is 0, but not of a 1 that is assumed
    return add(stated, result);
  }
  if (what == Operation::constant) return constant(result);
  if (what == Operation::from_bits && (entries[0] == 0 || entries[0] == replaced)) return from_bits(result);
  if (what == Operation::to_bits) {
    take_bits(entries[0], result);
    return entries[0];
  }
  Operands values;
  std::array<std::uint32_t, 3> known = {};
  std::uint32_t any = 0;
  for (std::uint32_t n = 0; n < count; ++n) {
    values.of[n] = operands[n];
    any |= known[n] = doubted(entries[n], operands[n]);
  }
  if (what == Operation::convert && any == 0 && std::fabs(values.of[0]) >= most_index)
    return replaced;  // an integer of bits
  if (any == 0 && (is_exact(what, values, result) || !is_number(result, count, values))) return 0;
  if (rounds_to_whole_number(code, values, entries)) return 0;
  std::array<Residue, 3> residues;
  for (std::uint32_t n = 0; n < count; ++n) residues[n] = residue_of(known[n], operands[n]);
  return add(with_underflow(what, values, result, computed(what, values, residues)), result);
}

std::uint32_t Algebra::constant(double value) {
  const auto [found, is_new] = constants_.try_emplace(value, 0);
  if (!is_new) return found->second;
  if (const auto rest = rest_of_ln2(value)) return found->second = add(*rest, value);
  const Residue meant = reference::residue_of_constant(value);
  return found->second = add(is_coefficient(value, meant) ? assumed(meant) : meant, value);
}

/// Kernels make a mantissa with another exponent or sign of a number's bits, pack numbers into integers, and make scales,
/// which are powers of two: of a number that has rounded to one, nobody can tell its mantissa from a scale.
std::uint32_t Algebra::from_bits(double value) {
  if (value == 0) return replaced;  // a scale that is too small
  const auto found = taken_.find(mantissa_of(value));
  if (found == taken_.end()) return is_power_of_two(value) && std::fabs(value) >= FLT_MIN ? 0 : replaced;
  const Taken& taken = found->second;
  if (taken.value == value && taken.is_one_number) return taken.entry;
  const Residue residue = residue_of(taken.entry, taken.value) * Residue::of(value / taken.value);
  return add(taken.is_one_number ? residue : assumed(residue), value);
}

void Algebra::take_bits(std::uint32_t entry, double value) {
  if (value == 0 || !std::isfinite(value)) return;
  const auto [found, is_new] = taken_.try_emplace(mantissa_of(value), Taken{entry, value});
  Taken& taken = found->second;
  if (is_new && is_power_of_two(value)) taken = {0, 1};  // a scale, which is what it is
  if (taken.is_one_number && (taken.entry != entry || taken.value != value)) {
    const Residue before = residue_of(taken.entry, taken.value) * Residue::of(value / taken.value);
    taken.is_one_number = reference::compare(before, residue_of(entry, value)) == reference::Comparison::equal;
  }
  taken.entry = entry, taken.value = value;
}

std::uint32_t Algebra::doubted(std::uint32_t entry, double value) const {
  return entry == 0 && !tied_.empty() && tied_.contains(value) ? replaced : entry;
}

std::uint32_t Algebra::load(const void* address, double value) {
  const std::uint32_t entry = places().at(reinterpret_cast<std::uintptr_t>(address));
  return entry <= replaced || tape_[entry].value == value ? entry : std::isfinite(value) ? replaced : 0;
}

void Algebra::compare(const abi::Site*, std::uint32_t, double left, double right, std::uint32_t left_entry,
                      std::uint32_t right_entry) {
  if (left != right || left_entry == right_entry) return;
  const Residue one = residue_of(left_entry, left), other = residue_of(right_entry, right);
  if (reference::compare(one, other) == reference::Comparison::equal) return;
  for (const std::uint32_t entry : {left_entry, right_entry})
    if (entry > replaced) tape_[entry].residue.traits |= Residue::close_choice;
  if (left_entry == 0 || right_entry == 0) tied_.insert(left);
}

void Algebra::copied(const void* to, const void* from, std::uint64_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(to);
  move(to, from, bytes);
  const auto before = copies_.upper_bound(begin);
  if (before != copies_.begin() && std::prev(before)->second == begin)
    std::prev(before)->second = begin + bytes;
  else
    copies_[begin] = begin + bytes;
}

bool Algebra::is_copied(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto after = copies_.upper_bound(at);
  return after != copies_.begin() && at < std::prev(after)->second;
}

}  // namespace assay::metal::emulator
