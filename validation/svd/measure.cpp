#include "validation/svd/measure.h"

#include <cmath>

namespace assay::validation {
namespace {

/// The exponent of the largest element of matrix b. Division by that power of two keeps squares within range.
int exponent_of(const SvdCase& c, std::int64_t b) {
  const double largest = largest_element(c, b);
  return largest > 0 ? std::ilogb(largest) : 0;
}

/// sqrt(sum over i of term(i)^2), of `count` terms scaled by 2^-exponent.
template <class Term>
double norm(std::int64_t count, int exponent, const Term& term) {
  long double squares = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const long double value = term(i);
    squares += value * value;
  }
  return std::ldexp(static_cast<double>(std::sqrt(squares)), exponent);
}

long double scaled(double value, int exponent) {
  return std::ldexp(static_cast<long double>(value), -exponent);
}

long double scaled_residual(const SvdCase& c, const SvdRun& run, std::int64_t b, std::int64_t i, std::int64_t j,
                            int exponent) {
  long double rest = scaled(c.at(b, i, j), exponent);
  for (std::int64_t k = 0; k < run.K; ++k)
    rest -= run.u(b, i, k) * scaled(run.s(b, k), exponent) * static_cast<long double>(run.vh(b, k, j));
  return rest;
}

}  // namespace

double u_product(const SvdRun& run, std::int64_t b, std::int64_t k, std::int64_t l) {
  long double sum = 0;
  for (std::int64_t i = 0; i < run.M; ++i) sum += static_cast<long double>(run.u(b, i, k)) * run.u(b, i, l);
  return static_cast<double>(sum);
}

double v_product(const SvdRun& run, std::int64_t b, std::int64_t k, std::int64_t l) {
  long double sum = 0;
  for (std::int64_t j = 0; j < run.N; ++j) sum += static_cast<long double>(run.vh(b, k, j)) * run.vh(b, l, j);
  return static_cast<double>(sum);
}

double residual(const SvdCase& c, const SvdRun& run, std::int64_t b, std::int64_t i, std::int64_t j) {
  const int exponent = exponent_of(c, b);
  return std::ldexp(static_cast<double>(scaled_residual(c, run, b, i, j, exponent)), exponent);
}

double residual_norm(const SvdCase& c, const SvdRun& run, std::int64_t b) {
  const int exponent = exponent_of(c, b);
  return norm(c.M * c.N, exponent,
              [&](std::int64_t at) { return scaled_residual(c, run, b, at / c.N, at % c.N, exponent); });
}

double image_of_v(const SvdCase& c, const SvdRun& run, std::int64_t b, std::int64_t k) {
  const int exponent = exponent_of(c, b);
  return norm(c.M, exponent, [&](std::int64_t i) {
    long double sum = 0;
    for (std::int64_t j = 0; j < c.N; ++j) sum += scaled(c.at(b, i, j), exponent) * run.vh(b, k, j);
    return sum;
  });
}

double image_of_u(const SvdCase& c, const SvdRun& run, std::int64_t b, std::int64_t k) {
  const int exponent = exponent_of(c, b);
  return norm(c.N, exponent, [&](std::int64_t j) {
    long double sum = 0;
    for (std::int64_t i = 0; i < c.M; ++i) sum += scaled(c.at(b, i, j), exponent) * run.u(b, i, k);
    return sum;
  });
}

}  // namespace assay::validation
