// Residues that tests draw, and what they expect of them.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "reference/number/residue.h"

namespace assay::reference {

using Numbers = std::vector<Residue>;

inline Residue whole(std::int64_t n) {
  return Residue::of(n);
}

inline Numbers drawn(std::size_t count, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Numbers numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(Residue::of(normal(random)));
  return numbers;
}

inline Residue sum(const Numbers& xs) {
  Residue total = whole(0);
  for (const Residue& x : xs) total += x;
  return total;
}

template <class Function>
Numbers each(const Numbers& xs, const Function& function) {
  Numbers result;
  for (const Residue& x : xs) result.push_back(function(x));
  return result;
}

#define EXPECT_SAME(a, b) EXPECT_EQ(compare(a, b), Comparison::equal)
#define EXPECT_OTHER(a, b) EXPECT_EQ(compare(a, b), Comparison::different)

}  // namespace assay::reference
