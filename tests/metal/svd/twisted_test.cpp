// Eigenvectors by twisted factorizations, of the matrix of second differences, whose eigenvalues and vectors are known:
// lambda_k = 4 sin^2(k pi / (2 n + 2)), z_k(i) = sin(i k pi / (n + 1)), L D L^T with d_i = (i + 1) / i, l_i = -i / (i +
// 1).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "metal/cpu/memory.h"
#include "metal/cpu/svd/kernels.h"

namespace assay::metal {
namespace {

struct Differences {
  explicit Differences(std::int64_t the_n) : n(the_n) {
    for (std::int64_t i = 1; i <= n; ++i) {
      const auto x = static_cast<double>(i);
      d.push_back((x + 1) / x);
      l.push_back(-x / (x + 1));
      values.push_back(4 * std::pow(std::sin(angle(n + 1 - i) / 2), 2));  // in falling order
    }
  }
  double angle(std::int64_t k) const { return static_cast<double>(k) * std::numbers::pi / static_cast<double>(n + 1); }

  std::int64_t n;
  std::vector<double> d, l, values;
};

struct Eigenvectors {
  std::vector<double> Z, residuals, values;

  Eigenvectors(const Differences& of, cpu::InstructionSet set)
      : Z(static_cast<std::size_t>(of.n * of.n), 777.0),
        residuals(static_cast<std::size_t>(of.n), 777.0),
        values(of.values) {
    cpu::AlignedMemory<double> work(4 * of.n * cpu::svd_lanes<double>);
    cpu::svd_kernels<double>(set).eigenvectors({of.n, of.d.data(), of.l.data()}, values.data(), Z.data(),
                                               residuals.data(), work.data());
  }

  /// The largest error of vector r, whatever its sign.
  double error(const Differences& of, std::int64_t r) const {
    double plus = 0, minus = 0;
    const double norm = std::sqrt(2 / static_cast<double>(of.n + 1));
    for (std::int64_t i = 0; i < of.n; ++i) {
      const double truth = norm * std::sin(static_cast<double>(i + 1) * of.angle(of.n - r));
      const double z = Z[static_cast<std::size_t>(i * of.n + r)];
      if (!(std::abs(z - truth) <= plus)) plus = std::abs(z - truth);
      if (!(std::abs(z + truth) <= minus)) minus = std::abs(z + truth);
    }
    return std::min(plus, minus);
  }
};

TEST(SvdTwisted, VectorsOfSecondDifferences) {
  for (const cpu::InstructionSet set : cpu::instruction_sets())
    for (const std::int64_t n : {1, 2, 3, 7, 8, 9, 16, 33, 70}) {
      const Differences of(n);
      const Eigenvectors found(of, set);
      for (std::int64_t r = 0; r < n; ++r) {
        SCOPED_TRACE(testing::Message() << "n=" << n << " r=" << r << " set " << static_cast<int>(set));
        const double value = of.values[static_cast<std::size_t>(r)];
        double gap = value;
        if (r > 0) gap = std::min(gap, of.values[static_cast<std::size_t>(r - 1)] - value);
        if (r + 1 < n) gap = std::min(gap, value - of.values[static_cast<std::size_t>(r + 1)]);
        EXPECT_LE(found.error(of, r), 16 * static_cast<double>(n) * 0x1p-53 * value / gap);
        EXPECT_LE(found.residuals[static_cast<std::size_t>(r)], 0x1p-44 * value);
      }
    }
}

TEST(SvdTwisted, ApproximateEigenvaluesAreImproved) {
  const Differences truth(20);
  for (const cpu::InstructionSet set : cpu::instruction_sets())
    for (const double change : {1e-12, 1e-9, -1e-9, 1e-5, -1e-4}) {
      Differences of = truth;
      for (double& value : of.values) value *= 1 + change;
      const Eigenvectors found(of, set);
      for (std::size_t r = 0; r < 20; ++r) {
        EXPECT_LE(std::abs(found.values[r] / truth.values[r] - 1), 0x1p-46) << change << " r=" << r;
        EXPECT_LE(found.residuals[r], 0x1p-40 * truth.values[r]) << change << " r=" << r;
      }
    }
}

// An eigenvalue far from the truth may give the vector of another one, but not its own.
TEST(SvdTwisted, WrongEigenvaluesAreSeen) {
  const Differences truth(20);
  for (const cpu::InstructionSet set : cpu::instruction_sets())
    for (const double factor : {1.5, 0.5, 1e3, std::numeric_limits<double>::quiet_NaN()}) {
      Differences of = truth;
      of.values[11] *= factor;
      const Eigenvectors found(of, set);
      for (std::size_t r = 0; r < 20; ++r)
        EXPECT_EQ(found.error(truth, static_cast<std::int64_t>(r)) <= 1e-9 && found.residuals[r] <= 0x1p-40, r != 11)
            << factor << " r=" << r;
    }
}

TEST(SvdTwisted, APivotOfZero) {
  Differences of(5);
  of.l.assign(5, 0.0);
  for (std::size_t r = 0; r < 5; ++r) of.d[r] = of.values[r] = static_cast<double>(5 - r);
  for (const cpu::InstructionSet set : cpu::instruction_sets()) {
    const Eigenvectors found(of, set);
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t r = 0; r < 5; ++r) EXPECT_EQ(found.Z[i * 5 + r], i == r ? 1.0 : 0.0);
    for (const double residual : found.residuals) EXPECT_LE(residual, 0x1p-49);
  }
}

}  // namespace
}  // namespace assay::metal
