// Eigenvalues of positive definite tridiagonal matrices of which they are known, close to each other or far apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "metal/cpu/svd/kernels.h"

namespace assay::metal {
namespace {

struct KnownEigenvalues {
  std::vector<double> diagonal, off_diagonal, values;  ///< in falling order

  std::int64_t n() const { return static_cast<std::int64_t>(diagonal.size()); }
};

/// Second differences: 4 sin^2(k pi / (2 n + 2)).
KnownEigenvalues second_differences(std::int64_t n) {
  KnownEigenvalues of;
  for (std::int64_t k = n; k >= 1; --k) {
    of.diagonal.push_back(2);
    of.off_diagonal.push_back(-1);
    const double angle = static_cast<double>(k) * std::numbers::pi / static_cast<double>(2 * n + 2);
    of.values.push_back(4 * std::sin(angle) * std::sin(angle));
  }
  return of;
}

/// Clement's matrix, shifted: 1, 3, ..., 2 n - 1.
KnownEigenvalues clement(std::int64_t n) {
  KnownEigenvalues of;
  for (std::int64_t k = n; k >= 1; --k) {
    of.diagonal.push_back(static_cast<double>(n));
    of.off_diagonal.push_back(std::sqrt(static_cast<double>((k - 1) * (n - k + 1))));
    of.values.push_back(static_cast<double>(2 * k - 1));
  }
  return of;
}

KnownEigenvalues diagonal_matrix(std::int64_t n, const std::function<double(std::int64_t)>& element) {
  KnownEigenvalues of;
  for (std::int64_t k = 0; k < n; ++k) of.diagonal.push_back(element(k));
  of.off_diagonal.assign(of.diagonal.size(), 0.0);
  of.values = of.diagonal;
  std::ranges::sort(of.values, std::greater<>());
  return of;
}

/// The largest error, in units of roundoff of the largest eigenvalue.
double error_of(const KnownEigenvalues& of, cpu::InstructionSet set) {
  std::vector<double> values(of.values.size(), 777.0), work(7 * values.size());
  cpu::svd_kernels<double>(set).eigenvalues({of.n(), of.diagonal.data(), of.off_diagonal.data(), 3}, values.data(),
                                            work.data());
  double worst = 0;
  for (std::size_t r = 0; r < values.size(); ++r) {
    const double error = std::abs(values[r] - of.values[r]);
    if (!(error <= worst)) worst = error;
  }
  return worst / of.values.front() * 0x1p53;
}

constexpr double most = 128;

TEST(SvdEigenvalues, EverySizeAndInstructionSet) {
  for (const cpu::InstructionSet set : cpu::instruction_sets())
    for (const std::int64_t n : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 389}) {
      SCOPED_TRACE(testing::Message() << "n=" << n << " set " << static_cast<int>(set));
      EXPECT_LE(error_of(second_differences(n), set), most);
      EXPECT_LE(error_of(clement(n), set), most);
    }
}

TEST(SvdEigenvalues, OfAnyDistance) {
  for (const cpu::InstructionSet set : cpu::instruction_sets()) {
    EXPECT_LE(error_of(diagonal_matrix(21, [](auto) { return 3.0; }), set), most) << "equal";
    for (const double gap : {1e-16, 1e-14, 1e-12, 1e-8, 1e-4})
      EXPECT_LE(error_of(diagonal_matrix(21, [&](auto k) { return 1 - gap * static_cast<double>(k); }), set), most)
          << gap;
    for (const double quotient : {0.5, 0.03, 1e-5, 1e-40})
      EXPECT_LE(error_of(diagonal_matrix(21, [&](auto k) { return std::pow(quotient, k); }), set), most) << quotient;
  }
}

TEST(SvdEigenvalues, WrongElementsAreSeen) {
  for (const double wrong : {1e-9, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    KnownEigenvalues a = clement(20), b = clement(20), c = clement(20);
    a.diagonal[12] += wrong;
    b.off_diagonal[3] += wrong;
    c.values[19] += wrong;
    for (const KnownEigenvalues* of : {&a, &b, &c})
      EXPECT_FALSE(error_of(*of, cpu::fastest_instruction_set()) <= most) << wrong;
  }
}

}  // namespace
}  // namespace assay::metal
