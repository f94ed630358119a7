// Comparisons of numbers that fail for NaN, and the message of a refusal.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/limits.h"

namespace assay::reference::tests {

using assay::tests::doubles::infinity;
using assay::tests::doubles::nan;
constexpr double tiny = 1e-40;  // what 50 digits leave uncertain, with room

/// |got - want| <= bound.
template <class Number>
void expect_near(const Number& got, const std::type_identity_t<Number>& want,
                 const std::type_identity_t<Number>& bound) {
  const Number error = got < want ? Number(want - got) : Number(got - want);
  if (!(error <= bound)) ADD_FAILURE() << got << ", expected " << want << ", off by " << error << " > " << bound;
}

/// |got - want| <= bound |want|.
template <class Number>
void expect_relatively_near(const Number& got, const std::type_identity_t<Number>& want,
                            const std::type_identity_t<Number>& bound) {
  expect_near<Number>(got, want, bound * (want < Number(0) ? Number(-want) : want));
}

/// The same for every element of a vector.
template <class Number>
void expect_near(const std::vector<Number>& got, const std::vector<Number>& want,
                 const std::type_identity_t<Number>& bound) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t k = 0; k < got.size(); ++k) expect_near<Number>(got[k], want[k], bound);
}
template <class Number>
void expect_relatively_near(const std::vector<Number>& got, const std::vector<Number>& want,
                            const std::type_identity_t<Number>& bound) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t k = 0; k < got.size(); ++k) expect_relatively_near<Number>(got[k], want[k], bound);
}

}  // namespace assay::reference::tests
