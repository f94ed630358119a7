// Divide and conquer on bidiagonal matrices whose singular values are apart, close, equal or 0, the secular equation
// that it solves, and wrong solutions of it.
#include "metal/cpu/svd/divide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace assay::metal {
namespace {

using cpu::DenseMatrix;
using cpu::SvdKernels;

template <class T>
constexpr double roundoff = std::numeric_limits<T>::epsilon() / 2;

/// NaN counts as infinite.
void raise(double& worst, double error) {
  if (!(error <= worst)) worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

template <class T>
struct Bidiagonal {
  std::vector<T> diagonal, off_diagonal;

  template <class Diagonal, class OffDiagonal>
  Bidiagonal(std::int64_t n, const Diagonal& d, const OffDiagonal& e) {
    for (std::int64_t i = 0; i < n; ++i) {
      diagonal.push_back(static_cast<T>(d(static_cast<double>(i))));
      off_diagonal.push_back(i + 1 < n ? static_cast<T>(e(static_cast<double>(i))) : T(0));
    }
  }
};

template <class T>
struct Divided {
  bool done = false;
  std::vector<T> values, Ut, Vt;
  std::vector<std::int64_t> order;
};

template <class T>
const SvdKernels<T>& fastest_kernels() {
  return cpu::svd_kernels<T>(cpu::fastest_instruction_set());
}

template <class T>
Divided<T> divided(const Bidiagonal<T>& B, const SvdKernels<T>& kernels = fastest_kernels<T>(),
                   std::size_t threads = 1) {
  const auto n = static_cast<std::int64_t>(B.diagonal.size());
  const std::vector<T> poison(static_cast<std::size_t>(n * n), T(777));
  Divided<T> result = {false, B.diagonal, poison, poison, {}};
  std::vector<T> vectors = poison, before = poison;
  const auto square = [&](std::vector<T>& of) { return DenseMatrix<T>{of.data(), n, n, n}; };
  result.done = cpu::bidiagonal_svd(kernels, result.values, B.off_diagonal,
                                    {square(result.Ut), square(result.Vt), square(vectors), square(before)},
                                    result.order, threads);
  return result;
}

/// The largest of: elements of B - U S V^T in units of roundoff of the largest singular value, and of products of two
/// vectors, in units of roundoff.
template <class T>
double error_of(const Bidiagonal<T>& B, const Divided<T>& by) {
  const std::size_t n = B.diagonal.size();
  if (!by.done) return std::numeric_limits<double>::infinity();
  double worst = 0;
  const double largest = std::max(static_cast<double>(*std::ranges::max_element(by.values)), 1e-300);
  const auto see = [&](long double error) { raise(worst, static_cast<double>(std::abs(error))); };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const T element = i == j ? B.diagonal[i] : i + 1 == j ? B.off_diagonal[i] : T(0);
      long double product = 0, of_U = i == j ? -1 : 0, of_V = of_U;
      for (std::size_t r = 0; r < n; ++r) {
        product += static_cast<long double>(by.Ut[r * n + i]) * by.values[r] * by.Vt[r * n + j];
        of_U += static_cast<long double>(by.Ut[i * n + r]) * by.Ut[j * n + r];
        of_V += static_cast<long double>(by.Vt[i * n + r]) * by.Vt[j * n + r];
      }
      see((product - element) / largest);
      see(of_U);
      see(of_V);
    }
  return worst / roundoff<T>;
}

template <class T>
std::vector<Bidiagonal<T>> matrices(std::int64_t n) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const auto any = [&](double) { return normal(random); };
  const auto zero = [](double) { return 0.0; };
  const auto one = [](double) { return 1.0; };
  const auto size = static_cast<double>(n);
  return {{n, any, any},
          {n, one, one},
          {n, one, zero},
          {n, zero, one},
          {n, zero, zero},
          {n, [](double i) { return std::fmod(2 * i, 7) - 3; }, [](double i) { return std::fmod(2 * i + 1, 7) - 3; }},
          {n, [&](double i) { return std::abs(i - size / 2); }, one},
          {n, [](double i) { return std::pow(0.5, i); }, [](double i) { return std::pow(0.4, i); }},
          {n, [](double i) { return std::fmod(i, 6) == 3 ? 1e-20 : 1.0; }, [](double) { return 1e-9; }},
          {n, [](double i) { return 1 + 1e-6 * i; }, [](double i) { return std::fmod(i, 10) == 9 ? 1e-7 : 1.0; }}};
}

template <class T>
class SvdDivide : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SvdDivide, Types);

TYPED_TEST(SvdDivide, EverySizeAndInstructionSet) {
  for (const cpu::InstructionSet set : cpu::instruction_sets())
    for (const std::int64_t n : {1, 2, 8, 9, 16, 17, 18, 19, 33, 34, 70, 101}) {
      std::size_t kind = 0;
      for (const Bidiagonal<TypeParam>& B : matrices<TypeParam>(n))
        EXPECT_LE(error_of(B, divided(B, cpu::svd_kernels<TypeParam>(set))), 24) << n << " rows, kind " << kind++;
    }
}

TYPED_TEST(SvdDivide, TheNumberOfThreadsDoesNotMatter) {
  const Bidiagonal<TypeParam> B = matrices<TypeParam>(390)[0];
  const Divided<TypeParam> alone = divided(B), together = divided(B, fastest_kernels<TypeParam>(), 3);
  EXPECT_LE(error_of(B, alone), 24);
  EXPECT_EQ(alone.values, together.values);
  EXPECT_EQ(alone.Ut, together.Ut);
  EXPECT_EQ(alone.Vt, together.Vt);
}

TYPED_TEST(SvdDivide, ZerosHaveSingularValuesOfZero) {
  for (const TypeParam value :
       divided(Bidiagonal<TypeParam>(40, [](double) { return 0.0; }, [](double) { return 0.0; })).values)
    EXPECT_EQ(value, 0);
}

TYPED_TEST(SvdDivide, WhatIsNotFiniteIsTurnedAway) {
  for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    const auto one = [](double) { return 1.0; };
    const auto bad_in_5 = [&](double i) { return i == 5 ? bad : 1.0; };
    EXPECT_FALSE(divided(Bidiagonal<TypeParam>(40, bad_in_5, one)).done);
    EXPECT_FALSE(divided(Bidiagonal<TypeParam>(40, one, bad_in_5)).done);
  }
}

/// The error with a solution of the secular equation that has been changed.
template <class T, int what>
double with_fault(T wrong) {
  static T fault;
  fault = wrong;
  SvdKernels<T> kernels = fastest_kernels<T>();
  if (what == 0)
    kernels.secular_roots = [](const cpu::SvdSecular<T>& of, const cpu::SvdRoots<T>& to) {
      fastest_kernels<T>().secular_roots(of, to);
      to.offset[of.n / 2] *= 1 + fault;
    };
  if (what == 1)
    kernels.secular_weights = [](const cpu::SvdSecular<T>& of, const cpu::SvdRoots<T>& roots, T* weights) {
      fastest_kernels<T>().secular_weights(of, roots, weights);
      weights[of.n / 2] *= 1 + fault;
    };
  if (what == 2)
    kernels.secular_vector = [](const cpu::SvdSecular<T>& of, T pole, T offset, cpu::SecularSide side, T* vector) {
      fastest_kernels<T>().secular_vector(of, pole, offset, side, vector);
      if (side == cpu::SecularSide::left) vector[of.n / 2] *= 1 + fault;
    };
  const Bidiagonal<T> B = matrices<T>(40)[0];
  return error_of(B, divided(B, kernels));
}

TYPED_TEST(SvdDivide, WrongSolutionsAreSeen) {
  using T = TypeParam;
  EXPECT_LE((with_fault<T, 0>(T(0))), 24);
  for (const T wrong : {65536 * std::numeric_limits<T>::epsilon(), std::numeric_limits<T>::quiet_NaN()}) {
    EXPECT_FALSE((with_fault<T, 0>(wrong)) <= 24) << "root";
    EXPECT_FALSE((with_fault<T, 1>(wrong)) <= 24) << "weight";
    EXPECT_FALSE((with_fault<T, 2>(wrong)) <= 24) << "vector";
  }
}

/// The largest difference between weights and z, in units of roundoff of the length of z.
template <class T>
double error_of_weights(const std::vector<T>& d, const std::vector<T>& z, cpu::InstructionSet set) {
  const std::size_t n = d.size();
  std::vector<T> poles(n, T(777)), offsets(n, T(777)), weights(n, T(777));
  const cpu::SvdSecular<T> equation = {static_cast<std::int64_t>(n), d.data(), z.data(), 3};
  const cpu::SvdRoots<T> roots = {poles.data(), offsets.data()};
  cpu::svd_kernels<T>(set).secular_roots(equation, roots);
  cpu::svd_kernels<T>(set).secular_weights(equation, roots, weights.data());
  double worst = 0, square = 0;
  for (std::size_t j = 0; j < n; ++j) {
    raise(worst, std::abs(static_cast<double>(weights[j]) - static_cast<double>(z[j])));
    square += static_cast<double>(z[j]) * static_cast<double>(z[j]);
  }
  return worst / std::sqrt(square) / roundoff<T>;
}

// Poles that are as close as deflation leaves them, and weights as small.
TYPED_TEST(SvdDivide, RootsOfTheSecularEquation) {
  using T = TypeParam;
  using Elements = std::function<double(double)>;
  const double least = 16 * roundoff<T>;
  std::mt19937 random(8);
  std::uniform_real_distribution<double> exponent(std::log(least), 0);
  const auto any_size = [&](double) { return std::exp(exponent(random)); };
  const auto one = [](double) { return 1.0; };
  for (const cpu::InstructionSet set : cpu::instruction_sets())
    for (const std::size_t n : std::vector<std::size_t>{1, 2, 3, 7, 8, 9, 16, 17, 40, 100, 390})
      for (const Elements& gap : {Elements(one), Elements([&](double) { return least; }), Elements(any_size)})
        for (const Elements& weight : {Elements(one), Elements([&](double) { return -least; }), Elements(any_size)}) {
          std::vector<T> d(n), z(n);
          for (std::size_t j = 0; j < n; ++j) {
            const auto step = static_cast<T>(gap(static_cast<double>(j)));
            d[j] = j == 0 ? T(0) : std::max(d[j - 1] + step, d[j - 1] * (1 + 2 * std::numeric_limits<T>::epsilon()));
            z[j] = static_cast<T>(weight(static_cast<double>(j)));
          }
          EXPECT_LE(error_of_weights(d, z, set), 24 * std::sqrt(static_cast<double>(n))) << n << " poles, z " << z[0];
        }
}

}  // namespace
}  // namespace assay::metal
