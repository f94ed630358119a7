#include "validation/formula/polynomial.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace assay::validation::formula {
namespace {

/// The largest power of two that divides x; infinite for 0.
double unit_of(double x) {
  if (x == 0) return infinity;
  int exponent = 0;
  const double odd = std::frexp(std::abs(x), &exponent);
  constexpr int digits = std::numeric_limits<double>::digits;
  auto bits = static_cast<std::uint64_t>(std::ldexp(odd, digits));
  for (exponent -= digits; (bits & 1) == 0; bits >>= 1) ++exponent;
  return std::ldexp(1.0, exponent);
}

}  // namespace

Polynomial polynomial_of(Operand x) {
  Polynomial polynomial;
  polynomial.unit = std::isfinite(x.value) ? unit_of(x.value) : 0;
  polynomial.reach = std::abs(x.value);
  make_term(polynomial, x.value, x.error);
  polynomial.terms = polynomial.count;
  return polynomial;
}

void make_term(Polynomial& polynomial, double value, double error) {
  polynomial.carried = polynomial.rounded = error;
  polynomial.total = std::abs(value) + error;
  polynomial.count = polynomial.total == 0 ? 0 : 1;
}

void add_terms(Polynomial& sum, const Polynomial& more) {
  sum.carried += more.carried;
  sum.total += more.total;
  sum.count += more.count;
}

void add_monomials(Polynomial& sum, const Polynomial& term) {
  sum.unit = std::min(sum.unit, term.unit);
  sum.reach += term.reach;
  sum.terms += term.terms;
  sum.has_product = sum.has_product || term.has_product;
}

Polynomial product_of_monomials(const Polynomial& a, const Polynomial& b) {
  Polynomial product{.reach = a.reach * b.reach,
                     .terms = std::max(a.terms, b.terms),
                     .is_read = false,
                     .has_product = a.has_product || b.has_product};
  if (product.reach != 0) product.unit = a.unit * b.unit;
  return product;
}

bool is_exact(const Polynomial& polynomial, const NumberFormat& format) {
  return polynomial.reach == 0 ||
         (polynomial.reach * format.roundoff <= polynomial.unit && polynomial.unit >= format.smallest &&
          polynomial.reach <= (polynomial.is_read ? format.largest : usable_largest(format)));
}

}  // namespace assay::validation::formula
