// Small problems for the tests of the recursions, in exact rationals: every label sequence of up to 3 labels out of 2
// classes, up to 5 frames, 4 classes (one that no label names), three places of the blank.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <sstream>
#include <vector>

#include "reference/ctc/alpha.h"
#include "reference/ctc/beta.h"
#include "reference/ctc/labels.h"
#include "reference/matrix.h"
#include "reference/number/exact.h"
#include "tests/reference/expect.h"

namespace assay::reference::tests {

struct Lattice {
  std::int64_t T = 0;
  std::int64_t blank = 0;
  std::vector<std::int64_t> labels;    // l [S]
  std::vector<std::int64_t> expanded;  // l' [L]
  Matrix<Rational> y;                  // [T, 4], rows sum to 1, no output is 0
};

inline constexpr std::int64_t class_count = 4;

inline Matrix<Rational> random_outputs(std::int64_t T, std::int64_t C, std::mt19937& random) {
  Matrix<Rational> y(T, C);
  for (std::int64_t t = 0; t < T; ++t) {
    Rational sum = 0;
    for (Rational& output : y.row(t)) sum += output = Rational(1 + static_cast<int>(random() % 20));
    for (Rational& output : y.row(t)) output /= sum;
  }
  return y;
}

/// Calls `test` with every lattice, the case named in the trace of a failure.
template <class Test>
void for_each_lattice(Test test) {
  std::mt19937 random(2006);
  for (const std::int64_t blank : {0, 2, 3})
    for (std::int64_t T = 0; T <= 5; ++T)
      for (int S = 0; S <= 3; ++S)
        for (int bits = 0; bits < 1 << S; ++bits) {
          std::ostringstream trace;
          trace << "T=" << T << " blank=" << blank << " labels=";
          Lattice lattice{T, blank, {}, {}, random_outputs(T, class_count, random)};
          for (int s = 0; s < S; ++s) {
            lattice.labels.push_back((bits >> s & 1) != 0 ? (blank + 1) % class_count : (blank + 3) % class_count);
            trace << lattice.labels.back() << ' ';
          }
          lattice.expanded = expand(lattice.labels, blank);
          SCOPED_TRACE(trace.str());
          test(static_cast<const Lattice&>(lattice));
        }
}

/// Calls `test(lattice, alpha, beta including y, p)` with every lattice that has an alignment.
template <class Test>
void for_each_feasible(Test test) {
  for_each_lattice([&](const Lattice& x) {
    const Matrix<Rational> forward = alpha(x.y, x.expanded);
    const Rational p = alpha_total(forward);
    if (p != 0) test(x, forward, beta_including_y(x.y, x.expanded), p);
  });
}

/// What rounding to double may do to a lattice, relatively: some 30 operations are met at T = 5, and logarithms of at
/// most 20.
inline constexpr double rounding = 200 * 0x1p-53;

inline double to_double(const Rational& x) {
  return x.convert_to<double>();
}

/// got [i, j] within rounding of want [i, j], relatively.
inline void expect_rounded(const Matrix<double>& got, const Matrix<Rational>& want) {
  ASSERT_EQ(got.rows(), want.rows());
  ASSERT_EQ(got.cols(), want.cols());
  for (std::int64_t i = 0; i < got.rows(); ++i)
    for (std::int64_t j = 0; j < got.cols(); ++j) expect_relatively_near(got(i, j), to_double(want(i, j)), rounding);
}

}  // namespace assay::reference::tests
