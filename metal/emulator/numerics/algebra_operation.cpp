#include "metal/emulator/numerics/algebra_operation.h"

#include <cmath>

#include "reference/number/residue_functions.h"

namespace assay::metal::emulator {

namespace {

using reference::Residue;

Residue one() {
  return Residue::of(std::int64_t{1});
}

/// exp(scale x), where the run's exponent tells the exponents that masks are made of.
Residue exponential(const Residue& x, double exponent) {
  return exponent < reference::vanishing_exponent ? Residue::of(std::int64_t{0}) : exp(x);
}

/// cosh and sinh, by the sign of exp(-x).
Residue half_sum(const Residue& x, const Residue& sign) {
  return (exp(x) + sign * exp(-x)) / Residue::of(std::int64_t{2});
}

/// A function that has no homomorphism.
Residue other(Operation what, const Residue& x, const Residue& y) {
  const Residue pair = x + y * Residue::of(std::int64_t{0x5deece66d});
  return tagged(pair, Residue::has_other, reference::Parity::none, static_cast<std::uint64_t>(what));
}

Residue log_of_ten() {
  return log(Residue::of(std::int64_t{10}));
}

}  // namespace

Residue computed(Operation what, const Operands& values, const std::array<Residue, 3>& operands) {
  const auto& [x, y, z] = operands;
  switch (what) {
    case Operation::add:
      return x + y;
    case Operation::subtract:
      return x - y;
    case Operation::multiply:
      return x * y;
    case Operation::divide:
      return x / y;
    case Operation::fused:
      return x * y + z;
    case Operation::negate:
      return -x;
    case Operation::convert:
    case Operation::from_bits:
      return x;
    case Operation::absolute:
      return std::signbit(values.of[0]) ? -x : x;
    case Operation::scale:
      return x * Residue::of(std::ldexp(1.0, static_cast<int>(values.of[1])));
    case Operation::exp:
      return exponential(x, values.of[0]);
    case Operation::exp2:
      return exponential(x * reference::symbol_ln2(), values.of[0]);
    case Operation::exp10:
      return exponential(x * log_of_ten(), values.of[0]);
    case Operation::expm1:
      return exponential(x, values.of[0]) - one();
    case Operation::log:
      return log(x);
    case Operation::log2:
      return log2(x);
    case Operation::log10:
      return log(x) / log_of_ten();
    case Operation::log1p:
      return log1p(x);
    case Operation::sqrt:
      return sqrt(x);
    case Operation::rsqrt:
      return reference::rsqrt(x);
    case Operation::pow:
    case Operation::powr:
      return pow(x, y);
    case Operation::sinh:
      return half_sum(x, -one());
    case Operation::cosh:
      return half_sum(x, one());
    case Operation::tanh:
      return tanh(x);
    case Operation::sin:
      return sin(x);
    case Operation::cos:
      return cos(x);
    case Operation::tan:
      return sin(x) / cos(x);
    case Operation::sinpi:
      return sin(x * reference::symbol_pi());
    case Operation::cospi:
      return cos(x * reference::symbol_pi());
    default:
      return other(what, x, y);
  }
}

}  // namespace assay::metal::emulator
