#include "validation/ctc/diagnosis/certified_loss.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference/ctc/batch.h"
#include "reference/number/big_float.h"

namespace assay::validation {
namespace {

using reference::BigFloat;
using Traits = reference::NumberTraits<BigFloat>;

/// Every number within `radius` of `midpoint`.
struct Enclosure {
  BigFloat midpoint;
  BigFloat radius;
};

BigFloat power_of_ten(int exponent) {
  return BigFloat(fmt::format("1e{}", exponent));
}

#if ASSAY_HAVE_CERTIFIED

Enclosure enclose(const CtcCase& row, int working_digits) {
  const reference::PrecisionScope scope(working_digits);
  const reference::Ball loss = reference::ctc_row<reference::Ball>(row.view(), 0).loss;
  return {loss.midpoint(), loss.radius()};
}

#else

/// Computes the loss at two precisions. Twice their difference counts as the error of the better one, but at least the
/// error that remains if rounding spoils 20 of its digits.
Enclosure enclose(const CtcCase& row, int working_digits) {
  const auto loss = [&](int digits) {
    const reference::PrecisionScope scope(digits);
    return reference::ctc_row<BigFloat>(row.view(), 0).loss;
  };
  const BigFloat fine = loss(working_digits);
  const BigFloat difference = abs(fine - loss(working_digits - 10));
  return {fine, difference * BigFloat(2) + abs(fine) * power_of_ten(20 - working_digits)};
}

#endif

/// x in decimal, and the power of ten of its last digit.
struct Decimal {
  std::string text;
  int unit;
};

/// `digits` significant digits, zeros at the end included.
Decimal to_decimal(const BigFloat& x, int digits) {
  std::string mantissa = Traits::to_string(x, digits);
  std::string exponent;
  if (const std::size_t e = mantissa.find('e'); e != mantissa.npos) {
    exponent = mantissa.substr(e);
    mantissa.resize(e);
  }
  const std::size_t first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  const auto present = std::count_if(mantissa.begin() + static_cast<std::ptrdiff_t>(first), mantissa.end(),
                                     [](char c) { return c != '.'; });
  const auto missing = static_cast<std::size_t>(std::max<std::ptrdiff_t>(digits - present, 0));
  if (missing > 0 && mantissa.find('.') == mantissa.npos) mantissa += '.';
  mantissa.append(missing, '0');
  const std::size_t point = mantissa.find('.');
  const int decimals = point == mantissa.npos ? 0 : static_cast<int>(mantissa.size() - point - 1);
  return {mantissa + exponent, (exponent.empty() ? 0 : std::stoi(exponent.substr(1))) - decimals};
}

}  // namespace

CertifiedLoss certified_loss(const CtcCase& row, int digits) {
  Enclosure loss;
  Decimal decimal;
  // A second round with more digits: a loss close to 0 loses its leading digits in 1 - p.
  for (const int working_digits : {digits + 30, std::min(4 * digits + 40, reference::max_digits)}) {
    loss = enclose(row, working_digits);
    if (!Traits::is_finite(loss.midpoint)) continue;
    if (Traits::is_zero(loss.midpoint) && Traits::is_zero(loss.radius)) return {0, "0"};
    decimal = to_decimal(loss.midpoint, digits);
    // Half a unit is for rounding to decimal, a quarter for the rest of the error, and a quarter remains spare.
    if (loss.radius * BigFloat(4) <= power_of_ten(decimal.unit))
      return {Traits::to_double(loss.midpoint), fmt::format("{} ± 1e{}", decimal.text, decimal.unit)};
  }
  if ((abs(loss.midpoint) + loss.radius) * BigFloat(2) <= power_of_ten(-digits))
    return {Traits::to_double(loss.midpoint), fmt::format("0 ± 1e-{}", digits)};
  return {Traits::to_double(loss.midpoint), "not enclosed"};
}

}  // namespace assay::validation
