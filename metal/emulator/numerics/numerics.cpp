#include "metal/emulator/numerics/numerics.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace assay::metal::emulator {

namespace {

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

double relative(double error, double exact, double least) {
  return std::fabs(error) / std::max(std::fabs(exact), least);
}

/// LLVM's predicate on two numbers: a bit each for equal, greater, less.
bool decides(std::uint32_t predicate, double left, double right) {
  return (left == right && (predicate & 1)) || (left > right && (predicate & 2)) || (left < right && (predicate & 4));
}

/// Conversions are measured by what their operand had. It is float, or has an entry that tells.
double unit_for(std::uint32_t code) {
  return operation_of(code) == Operation::convert ? unit_roundoff(Precision::single)
                                                  : unit_roundoff(precision_of(code));
}

}  // namespace

std::uint32_t Numerics::operation(const abi::Site* site, std::uint32_t code, std::uint32_t count,
                                  const double* operands, double result, const std::uint32_t* entries) {
  if ((code & stated_flag) != 0) return entries[1];
  if (count == 1) return follow<1>(site, code, operands, result, entries);
  if (count == 2) return follow<2>(site, code, operands, result, entries);
  return follow<3>(site, code, operands, result, entries);
}

/// Returns the exact values of the operands.
template <std::uint32_t count>
inline Operands Numerics::note_operands(TapeEntry& entry, Operation what, const Operands& values, double result,
                                        const std::uint32_t* entries) const {
  Operands exact = values;
  for (std::uint32_t n = 0; n < count; ++n) {
    if (entries[n] == 0) continue;
    const TapeEntry& of_operand = tape_[entries[n]];
    exact.of[n] = of_operand.exact;
    if (!std::isfinite(of_operand.value)) continue;
    entry.operands[n] = entries[n];
    entry.slopes[n] = static_cast<float>(slope_inline(what, values, result, static_cast<int>(n)));
  }
  return exact;
}

template <std::uint32_t count>
std::uint32_t Numerics::follow(const abi::Site* site, std::uint32_t code, const double* operands, double result,
                               const std::uint32_t* entries) {
  Operands values;
  std::uint32_t any = 0;
  for (std::uint32_t n = 0; n < count; ++n) values.of[n] = operands[n], any |= entries[n];
  const Operation what = operation_of(code);
  const double of_values = exactly_inline(what, values);
  if (any == 0 && std::isfinite(result) && of_values == result) return 0;
  const std::uint32_t number = site_number(site);
  if (!std::isfinite(result)) return operation_without_number(number, code, count, values, result, entries);
  if (rounds_to_whole_number(code, values, entries)) return 0;
  const std::uint32_t added = tape_.add();
  if (added == 0) return 0;
  TapeEntry& entry = tape_[added];
  const Operands exact_operands = note_operands<count>(entry, what, values, of_values, entries);
  const double exact = any == 0 ? of_values : exactly_inline(what, exact_operands);
  entry.exact = std::isfinite(exact) ? exact : result;
  entry.value = result;
  entry.rounding = static_cast<float>(result - of_values);
  entry.site_and_precision = number << 2 | (code & 3);
  const auto event = [&] { return NumericEvent{number, code, values, result, entry.exact, {}}; };
  if (std::fabs(entry.error()) > 4 * unit_for(code) * std::fabs(entry.exact)) note_growth(event(), count, entries);
  if (count == 2 && result != of_values && (result == values.of[0] || std::fabs(result) == std::fabs(values.of[1])))
    note_absorption(event());
  return added;
}

std::uint32_t Numerics::operation_without_number(std::uint32_t site, std::uint32_t code, std::uint32_t count,
                                                 const Operands& operands, double result,
                                                 const std::uint32_t* entries) {
  bool had_number = true, had_nan = false;
  std::uint32_t origin = 0, underflow = 0;
  for (std::uint32_t n = 0; n < count; ++n) {
    const double value = operands.of[n];
    had_nan |= std::isnan(value);
    if (!std::isfinite(value)) {
      had_number = false;
      if (origin == 0 && entries[n] != 0) origin = tape_[entries[n]].operands[0];
    } else if (entries[n] != 0 && std::fabs(value) < 0x1p-126 && tape_[entries[n]].exact != value) {
      underflow = underflow == 0 ? entries[n] : std::min(underflow, entries[n]);
    }
  }
  if (had_number || (std::isnan(result) && !had_nan)) {
    const double exact = exactly(operation_of(code), exact_values(count, operands, entries));
    const std::uint32_t cause = had_number ? 0 : origin;
    origin = origin_number(site, code, operands, result, exact);
    if (origins_[origin].count == 1) origins_[origin].cause = cause, origins_[origin].underflow = underflow;
  }
  if (origin == 0) return 0;
  const std::uint32_t added = tape_.add();
  if (added != 0) tape_[added] = {result, result, {origin, 0, 0}, {}, 0, site << 2 | (code & 3)};
  return added;
}

Operands Numerics::exact_values(std::uint32_t count, const Operands& operands, const std::uint32_t* entries) const {
  Operands exact = operands;
  for (std::uint32_t n = 0; n < count; ++n)
    if (entries[n] != 0) exact.of[n] = tape_[entries[n]].exact;
  return exact;
}

void Numerics::note_growth(const NumericEvent& event, std::uint32_t count, const std::uint32_t* entries) {
  const double unit = unit_for(event.code), least = min_normal(precision_of(event.code));
  double before = 1;
  for (std::uint32_t n = 0; n < count; ++n)
    if (entries[n] != 0)
      before = std::max(before, relative(tape_[entries[n]].error(), tape_[entries[n]].exact, least) / unit);
  const double growth = relative(event.result - event.exact, event.exact, least) / unit / before;
  SiteStatistics& statistics = sites_[event.site];
  if (!(growth > statistics.worst_growth)) return;
  statistics.worst_growth = growth;
  statistics.worst = event;
  statistics.worst.thread = thread();
}

void Numerics::note_absorption(const NumericEvent& event) {
  const Operation operation = operation_of(event.code);
  const auto [left, right, ignored] = event.operands.of;
  if (operation != Operation::add && operation != Operation::subtract) return;
  const double other = operation == Operation::add ? right : -right;
  if (left == 0 || right == 0 || (event.result != left && event.result != other)) return;
  SiteStatistics& statistics = sites_[event.site];
  if (statistics.absorbed++ != 0) return;
  statistics.absorption = event;
  statistics.absorption.thread = thread();
}

std::uint32_t Numerics::load(const void* address, double value) {
  const std::uint32_t entry = places().at(reinterpret_cast<std::uintptr_t>(address));
  return entry != 0 && same(tape_[entry].value, value) ? entry : 0;
}

void Numerics::compare(const abi::Site* site, std::uint32_t predicate, double left, double right,
                       std::uint32_t left_entry, std::uint32_t right_entry) {
  if (!std::isfinite(left) || !std::isfinite(right)) return;
  const double exact_left = left_entry ? tape_[left_entry].exact : left;
  const double exact_right = right_entry ? tape_[right_entry].exact : right;
  if (decides(predicate, left, right) == decides(predicate, exact_left, exact_right)) return;
  const std::uint32_t number = site_number(site);
  SiteStatistics& statistics = sites_[number];
  if (statistics.decided++ != 0) return;
  statistics.decision = {number, predicate, {{left, right}}, exact_left, exact_right, thread()};
}

std::uint32_t Numerics::site_number(const abi::Site* site) {
  Recent& recent = recent_[reinterpret_cast<std::uintptr_t>(site) / sizeof(abi::Site) % recent_.size()];
  if (recent.site == site) return recent.number;
  const auto [entry, is_new] = numbers_.try_emplace(site, static_cast<std::uint32_t>(sites_.size()));
  if (is_new) sites_.emplace_back().position = {site->file, site->line, site->column};
  recent = {site, entry->second};
  return entry->second;
}

std::uint32_t Numerics::origin_number(std::uint32_t site, std::uint32_t code, const Operands& operands, double result,
                                      double exact) {
  const std::uint64_t key = std::uint64_t{site} << 33 | std::uint64_t{code} << 1 | (std::isnan(result) ? 1U : 0U);
  const auto [entry, is_new] = origin_numbers_.try_emplace(key, static_cast<std::uint32_t>(origins_.size()));
  if (is_new) origins_.push_back({{site, code, operands, result, exact, thread()}});
  ++origins_[entry->second].count;
  return entry->second;
}

Place Numerics::thread() const {
  const abi::Position& here = *position_();
  const auto size = [](const assay_u32(&xyz)[3]) { return Size{xyz[0], xyz[1], xyz[2]}; };
  return {size(here.thread_position_in_grid), size(here.thread_position_in_threadgroup),
          size(here.threadgroup_position_in_grid)};
}

}  // namespace assay::metal::emulator
