#include "validation/core/sums.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace assay::validation {

double gamma(double operations, double unit_roundoff) {
  const double share = operations * unit_roundoff;
  return share < 1 ? share / (1 - share) : std::numeric_limits<double>::infinity();
}

double effective_terms(std::span<const double> sizes, double total, double unit_roundoff) {
  const double growth = 1 + 2 * gamma(static_cast<double>(sizes.size()), unit_roundoff);
  double terms = 0;
  for (const double size : sizes)
    if (size != 0) terms += std::min(1.0, growth * size / (unit_roundoff * total));  // 1 if the size is NaN
  return terms;
}

double rescaling_error(std::vector<Exponential>& terms, const Rescaling& rescaling) {
  std::ranges::sort(terms, std::ranges::greater(), &Exponential::argument);
  double error = 0;
  double changes = 0, growth = 0;
  for (std::size_t i = 1; i < terms.size(); ++i) {
    const double more = std::min(static_cast<double>(i), rescaling.max_changes);
    if (more != changes && (rescaling.may_break_ties || terms[i].argument < terms[i - 1].argument)) {
      changes = more;
      growth = std::expm1(changes * rescaling.cost * rescaling.unit_roundoff);
    }
    error += terms[i].share * growth;
  }
  return error / rescaling.unit_roundoff;
}

void Grid::add(double x) {
  if (x == 0) return;
  constexpr int fraction_bits = 52, bias = 1023;
  constexpr std::uint64_t implicit = std::uint64_t{1} << fraction_bits;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>(bits >> fraction_bits & 0x7ff) - bias - fraction_bits;
  exponent_ = std::min(exponent_, exponent + std::countr_zero((bits & (implicit - 1)) | implicit));
}

bool Grid::is_exact(double size, double unit_roundoff) const {
  return size * unit_roundoff <= std::ldexp(1.0, exponent_);
}

}  // namespace assay::validation
