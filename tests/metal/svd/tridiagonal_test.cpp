// The reduction to tridiagonal form and its reflections: A = Q T Q^T, and Q is orthogonal.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "metal/cpu/memory.h"
#include "metal/cpu/svd/kernels.h"
#include "metal/cpu/svd/reflections.h"

namespace assay::metal {
namespace {

using cpu::DenseMatrix;

using Elements = std::function<double(std::int64_t i, std::int64_t j)>;  ///< of a symmetric matrix

/// The reduction of a matrix, and how far A Q is from Q T and Q from orthogonal, in units of roundoff times the norm.
class Reduced {
 public:
  Reduced(std::int64_t the_n, const Elements& A, cpu::InstructionSet set, std::size_t threads = 1)
      : n(the_n), diagonal(size(n)), off_diagonal(size(n)), factors(size(n)), A_(A), stride_((n + 15) / 8 * 8) {
    constexpr std::int64_t work_rows = 3 + cpu::svd_max_pieces;
    cpu::AlignedMemory<double> memory((n + 3) / 4 * 4 * stride_ + work_rows * stride_);
    double* const work = memory.data() + (n + 3) / 4 * 4 * stride_;
    std::fill(memory.data(), work, 0.0);
    std::fill_n(work, work_rows * stride_, std::numeric_limits<double>::quiet_NaN());
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < (i / 8 + 1) * 8 && j < n; ++j) memory.data()[i * stride_ + j] = A(i, j);
    cpu::svd_kernels<double>(set).tridiagonalize({memory.data(), n, stride_, threads}, diagonal.data(),
                                                 off_diagonal.data(), factors.data(), work);
    reduced_.assign(memory.data(), work);
  }

  double error() {
    std::vector<double> Q(size(n * n));
    for (std::int64_t i = 0; i < n; ++i) Q[size(i * n + i)] = 1;
    cpu::apply_reflections<double>({{reduced_.data(), n, n, stride_}, factors, 1}, {Q.data(), n, n, n});
    double norm = 0, of_product = 0, of_Q = 0;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        double product = 0, dot = i == j ? -1 : 0;
        for (std::int64_t k = 0; k < n; ++k) {
          product += A_(i, k) * Q[size(k * n + j)];
          dot += Q[size(k * n + i)] * Q[size(k * n + j)];
        }
        product -= diagonal[size(j)] * Q[size(i * n + j)];
        if (j > 0) product -= off_diagonal[size(j - 1)] * Q[size(i * n + j - 1)];
        if (j < n - 1) product -= off_diagonal[size(j)] * Q[size(i * n + j + 1)];
        norm += A_(i, j) * A_(i, j);
        of_product += product * product;
        of_Q += dot * dot;
      }
    return (std::sqrt(of_product) / (norm > 0 ? std::sqrt(norm) : 1.0) + std::sqrt(of_Q)) / 0x1p-53;
  }

  std::int64_t n;
  std::vector<double> diagonal, off_diagonal, factors;

 private:
  static std::size_t size(std::int64_t i) { return static_cast<std::size_t>(i); }

  Elements A_;
  std::int64_t stride_;
  std::vector<double> reduced_;
};

double bound(std::int64_t n) {
  return 8.0 * static_cast<double>(n) + 16;
}

Elements gaussian_symmetric(std::int64_t n) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> A(static_cast<std::size_t>(n * n));
  for (double& element : A) element = normal(random);
  return [n, A](std::int64_t i, std::int64_t j) {
    return A[static_cast<std::size_t>(std::max(i, j) * n + std::min(i, j))];
  };
}

TEST(SvdTridiagonal, EverySizeAndInstructionSet) {
  for (const cpu::InstructionSet set : cpu::instruction_sets())
    for (const std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33, 34, 64, 65, 67}) {
      SCOPED_TRACE(testing::Message() << "n=" << n << " set " << static_cast<int>(set));
      EXPECT_LE(Reduced(n, gaussian_symmetric(n), set).error(), bound(n));
    }
}

TEST(SvdTridiagonal, PiecesOfALargeMatrix) {
  for (const cpu::InstructionSet set : cpu::instruction_sets()) {
    Reduced one(389, gaussian_symmetric(389), set), three(389, gaussian_symmetric(389), set, 3);
    EXPECT_LE(three.error(), bound(389)) << static_cast<int>(set);
    EXPECT_EQ(one.diagonal, three.diagonal);
    EXPECT_EQ(one.off_diagonal, three.off_diagonal);
  }
}

TEST(SvdTridiagonal, MatricesWithNothingToReflect) {
  const std::int64_t n = 19;
  for (const Elements& A :
       {Elements([](auto, auto) { return 0.0; }),
        Elements([](auto i, auto j) { return i == j ? 1.0 + static_cast<double>(i) : 0.0; }),
        Elements([](auto i, auto j) { return std::abs(i - j) < 2 ? 2.0 + static_cast<double>(i + j) : 0.0; }),
        Elements([](auto i, auto j) { return i / 5 == j / 5 ? 1.0 : 0.0; }), Elements([](auto, auto) { return 1.0; }),
        Elements([](auto i, auto j) { return std::pow(0.01, static_cast<double>(i + j)); })})
    EXPECT_LE(Reduced(n, A, cpu::fastest_instruction_set()).error(), bound(n));
}

TEST(SvdTridiagonal, WrongReductionsAreSeen) {
  const std::int64_t n = 21;
  const auto reduced = [&] { return Reduced(n, gaussian_symmetric(n), cpu::fastest_instruction_set()); };
  for (const double wrong :
       {1e-12, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    Reduced a = reduced(), b = reduced(), c = reduced();
    a.diagonal[20] += wrong;
    b.off_diagonal[0] += wrong;
    c.factors[3] += wrong;
    for (Reduced* of : {&a, &b, &c}) EXPECT_FALSE(of->error() <= bound(n)) << wrong;
  }
}

}  // namespace
}  // namespace assay::metal
