#include "metal/emulator/numerics/losses.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

namespace assay::metal::emulator {

namespace {

double of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double magnitude = exponent == 31  ? (mantissa ? NAN : INFINITY)
                           : exponent == 0 ? std::ldexp(mantissa, -24)
                                           : std::ldexp(mantissa + 1024, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

double number_at(const std::byte* address, Precision precision) {
  if (precision == Precision::single) {
    float value = 0;
    std::memcpy(&value, address, sizeof value);
    return value;
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, address, sizeof bits);
  return precision == Precision::half ? of_half(bits) : std::bit_cast<float>(std::uint32_t{bits} << 16);
}

/// A finite element of a buffer. There may be millions.
struct Element {
  std::uint32_t entry;
  Precision precision;
  const std::byte* address;
};

std::vector<Element> elements_of(const Numerics& numerics, const BoundMemory& memory) {
  std::vector<Element> elements;
  for_each_known(numerics, memory, [&](const KnownNumber& known) {
    if (std::isfinite(known.entry.value)) elements.push_back({known.number, known.precision, known.address});
  });
  return elements;
}

/// The entries of a dispatch's elements.
struct Outputs {
  std::vector<std::uint32_t> large, all;
};

/// Finds the worst of a buffer's elements, and those whose error is large.
void measure(const Tape& tape, const std::vector<Element>& elements, const DispatchInfo& dispatch, Losses& losses,
             Outputs& outputs) {
  if (elements.empty()) return;
  double squares = 0;
  for (const Element& one : elements) squares += tape[one.entry].exact * tape[one.entry].exact;
  const double scale = std::sqrt(squares / static_cast<double>(elements.size()));
  const Element* worst = elements.data();
  double worst_units = -1;
  for (const Element& one : elements) {
    const TapeEntry& entry = tape[one.entry];
    const double size = std::max({std::fabs(entry.exact), scale, min_normal(one.precision)});
    const double units = std::fabs(entry.error()) / (unit_roundoff(one.precision) * size);
    if (units > worst_units) worst = &one, worst_units = units;
    if (units * units * unit_roundoff(one.precision) > 1) outputs.large.push_back(one.entry);
    outputs.all.push_back(one.entry);
  }
  const TapeEntry& entry = tape[worst->entry];
  losses.worst.push_back({name_of(dispatch, worst->address), entry.value, entry.exact,
                          worst_units > 1 ? std::log2(worst_units) : 0, worst->precision});
}

/// The share of each site: see the header.
std::vector<double> shares_of(const Numerics& numerics, const std::vector<std::uint32_t>& outputs) {
  std::vector<double> sites(numerics.sites().size());
  if (outputs.empty()) return sites;
  const Tape& tape = numerics.tape();
  std::vector<float> weights(tape.size());
  for (const std::uint32_t entry : outputs) weights[entry] += 1 / static_cast<float>(outputs.size());
  for (std::uint32_t n = tape.size() - 1; n > 0; --n) {
    if (weights[n] == 0) continue;
    const TapeEntry& entry = tape[n];
    double parts[3] = {}, sum = std::fabs(entry.rounding), passed = 0;
    for (int k = 0; k < 3; ++k)
      if (entry.operands[k] != 0) sum += parts[k] = std::fabs(entry.slopes[k] * tape[entry.operands[k]].error());
    const double scale = weights[n] / sum, value = std::fabs(entry.value);
    for (int k = 0; k < 3; ++k) {
      if (!(parts[k] > 0) || !std::isfinite(sum)) continue;
      const double passed_on = std::fabs(entry.slopes[k] * tape[entry.operands[k]].value);  // over value: the growth
      constexpr double least = 0x1p-30;  // a difference of 0 still has operands
      const auto part =
          static_cast<float>(scale * parts[k] * (passed_on > value ? std::max(value / passed_on, least) : 1));
      weights[entry.operands[k]] += part;
      passed += part;
    }
    sites[entry.site()] += weights[n] - passed;
  }
  return sites;
}

std::vector<LineLoss> by_line(const Numerics& numerics, const std::vector<double>& shares) {
  std::map<std::pair<std::string, std::uint32_t>, LineLoss> lines;
  for (std::uint32_t n = 1; n < shares.size(); ++n) {
    const SiteStatistics& site = numerics.sites()[n];
    const double bits = std::log2(site.worst_growth);
    const bool counts = shares[n] > 0 || (bits > 1 && n >= numerics.first_site());
    if (!counts) continue;
    LineLoss& line = lines[{site.position.file, site.position.line}];
    line.position = {site.position.file, site.position.line, 0};
    line.share += std::max(shares[n], 0.0);  // a sum of roundings may be a little less
    if (line.site == 0 || bits > line.lost_bits) line.site = n;
    line.lost_bits = std::max(line.lost_bits, bits);
  }
  std::vector<LineLoss> sorted;
  for (const auto& [place, line] : lines) sorted.push_back(line);
  std::ranges::sort(sorted, [](const LineLoss& a, const LineLoss& b) {
    return std::tuple(-a.share, -a.lost_bits, a.position.line) < std::tuple(-b.share, -b.lost_bits, b.position.line);
  });
  return sorted;
}

}  // namespace

void for_each_known(const Numerics& numerics, const BoundMemory& memory,
                    const std::function<void(const KnownNumber&)>& visit) {
  if (!memory.allocation || memory.allocation->length() <= memory.offset) return;
  const std::byte* const begin = memory.allocation->begin() + memory.offset;
  const std::uint64_t bytes = memory.allocation->length() - memory.offset;
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  numerics.places().for_each(first, bytes, [&](std::uintptr_t address, std::uint32_t number) {
    const TapeEntry& entry = numerics.tape()[number];
    const std::uint64_t offset = address - first;
    for (const Precision precision : {entry.precision(), Precision::single}) {
      if (precision == Precision::wide || offset + bytes_of(precision) > bytes) continue;
      const double stored = number_at(begin + offset, precision);
      if (stored == entry.value || (std::isnan(stored) && std::isnan(entry.value)))
        return visit({begin + offset, precision, number, entry});
    }
  });
}

Losses losses_of(const Numerics& numerics, const DispatchInfo& dispatch) {
  Losses losses;
  Outputs outputs;
  for (const BoundMemory& memory : dispatch.memory) {
    if (!holds_results(memory)) continue;
    measure(numerics.tape(), elements_of(numerics, memory), dispatch, losses, outputs);
  }
  losses.large = outputs.large.size();
  losses.lines = by_line(numerics, shares_of(numerics, outputs.large.empty() ? outputs.all : outputs.large));
  return losses;
}

}  // namespace assay::metal::emulator
