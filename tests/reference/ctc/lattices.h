// Small problems for the tests of the recursions, in exact rationals: every label sequence of up to 3 labels out of 2
// classes, up to 5 frames, 4 classes (one that no label names), three places of the blank.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <sstream>
#include <vector>

#include "reference/ctc/labels.h"
#include "reference/matrix.h"
#include "reference/number/exact.h"

namespace assay::reference::tests {

struct Lattice {
  std::int64_t T = 0;
  std::int64_t blank = 0;
  std::vector<std::int64_t> labels;    // l [S]
  std::vector<std::int64_t> expanded;  // l' [L]
  Matrix<Rational> y;                  // [T, 4], rows sum to 1, no output is 0
};

inline constexpr std::int64_t kClasses = 4;

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
          Lattice lattice{T, blank, {}, {}, random_outputs(T, kClasses, random)};
          for (int s = 0; s < S; ++s) {
            lattice.labels.push_back((bits >> s & 1) != 0 ? (blank + 1) % kClasses : (blank + 3) % kClasses);
            trace << lattice.labels.back() << ' ';
          }
          lattice.expanded = expand(lattice.labels, blank);
          SCOPED_TRACE(trace.str());
          test(static_cast<const Lattice&>(lattice));
        }
}

}  // namespace assay::reference::tests
