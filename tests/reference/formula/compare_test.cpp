// Comparisons in plain numbers, and as balls where these overlap.
#include "reference/formula/compare.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::reference::formula {
namespace {

TEST(FormulaCompare, PlainNumbers) {
  EXPECT_EQ(detail::comparison(Op::less, 1.0, 2.0), 1);
  EXPECT_EQ(detail::comparison(Op::less, 2.0, 2.0), 0);
  EXPECT_EQ(detail::comparison(Op::less_equal, 2.0, 2.0), 1);
  EXPECT_EQ(detail::comparison(Op::equal, 2.0, 1.0), 0);
  EXPECT_EQ(detail::sign(-3.0), -1);
  EXPECT_EQ(detail::chosen(1.0, 5.0, 7.0), 5);
  EXPECT_EQ(detail::chosen(0.0, 5.0, 7.0), 7);
  EXPECT_TRUE(std::isnan(detail::larger(std::nan(""), 1.0)) && std::isnan(detail::larger(1.0, std::nan(""))));
}

#if ASSAY_HAVE_CERTIFIED
TEST(FormulaCompare, WhatBallsLeaveUndecidedIsEnclosed) {
  const PrecisionScope scope(20);
  const Ball third = Ball(1) / Ball(3), other = Ball(2) / Ball(6), one(1);
  for (const Op op : {Op::less, Op::less_equal, Op::equal}) {
    const Ball open = detail::comparison(op, third, other);
    EXPECT_TRUE(open.contains(Ball(0)) && open.contains(Ball(1)));
    EXPECT_TRUE(detail::comparison(op, one, Ball(2)).is_exact());
  }
  const Ball either = detail::chosen(third - other, Ball(5), Ball(7));
  EXPECT_TRUE(either.contains(Ball(5)) && either.contains(Ball(7)));
  EXPECT_TRUE(detail::share(one, detail::comparison(Op::equal, third, other)).contains(one));
  EXPECT_TRUE(detail::sign(third - other).contains(Ball(-1)));
  EXPECT_TRUE(detail::sign(third).is_exact());
}
#endif

}  // namespace
}  // namespace assay::reference::formula
