// What the definition says, listed and worked by hand.
#include "reference/ctc/enumeration.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/number/exact.h"
#include "tests/matchers.h"

namespace assay::reference {
namespace {

using Labels = std::vector<std::int64_t>;

TEST(Collapse, MergesRunsThenDropsBlanks) {
  EXPECT_THAT(collapse(Labels{1, 0, 1, 2, 0}, 0), ElementsAre(1, 1, 2));
  EXPECT_THAT(collapse(Labels{0, 1, 1, 0, 0, 1, 2, 2}, 0), ElementsAre(1, 1, 2));
  EXPECT_THAT(collapse(Labels{3, 0, 3}, 3), ElementsAre(0));
  EXPECT_THAT(collapse(Labels{}, 0), IsEmpty());
}

TEST(Alignments, AreListedForTwoLabelsInThreeFrames) {
  EXPECT_THAT(alignments(3, Labels{1, 2}, 0),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(1, 0, 2), ElementsAre(1, 1, 2), ElementsAre(1, 2, 0),
                          ElementsAre(1, 2, 2)));
  EXPECT_THAT(alignments(3, Labels{1, 1}, 0), ElementsAre(ElementsAre(1, 0, 1)));
  EXPECT_THAT(alignments(0, Labels{}, 0), ElementsAre(IsEmpty()));
  EXPECT_THAT(alignments(0, Labels{1}, 0), IsEmpty());
}

/// l = a, T = 2, y = (blank, a): p = y1(b) y2(a) + y1(a) y2(b) + y1(a) y2(a), and each gradient term by term.
TEST(Enumeration, IsTheSumOfThreePaths) {
  Matrix<Rational> y(2, 2);
  y(0, 0) = Rational(1, 4), y(0, 1) = Rational(3, 4), y(1, 0) = y(1, 1) = Rational(1, 2);
  const Labels l{1};
  EXPECT_EQ(path_probability(y, Labels{0, 1}), Rational(1, 8));
  EXPECT_EQ(probability_by_enumeration<Rational>(y, l, 0), Rational(7, 8));
  const auto dy = gradient_wrt_outputs_by_enumeration<Rational>(y, l, 0);
  EXPECT_THAT(dy.row(0), ElementsAre(Rational(-4, 7), Rational(-8, 7)));  // -y2(a) / p, -(y2(a) + y2(b)) / p
  EXPECT_THAT(dy.row(1), ElementsAre(Rational(-6, 7), Rational(-8, 7)));
  const auto da = gradient_wrt_logits_by_enumeration<Rational>(y, l, 0);
  EXPECT_THAT(da.row(0), ElementsAre(Rational(3, 28), Rational(-3, 28)));  // y1(b) - (1/8) / p
  EXPECT_THAT(da.row(1), ElementsAre(Rational(1, 14), Rational(-1, 14)));  // y2(b) - (3/8) / p
}

}  // namespace
}  // namespace assay::reference
