#include "reference/cce/row.h"

#include "reference/number/big_float.h"
#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

/// Logits 800, 0 and 1: p_t is 1 - 1e-347, and 1 - p_t has all its digits.
TEST(CceRow, KeepsTheDigitsOfWhatIsNextToOne) {
  const std::vector<BigFloat> hidden{2}, weight{300, 0, 0.5}, bias{200, 0, 0};
  const CceRow<BigFloat> row = cce_row<BigFloat>(hidden, weight, bias, 0, CceTerms<BigFloat>{});
  const BigFloat others = exp(BigFloat(-800)) + exp(BigFloat(-799));
  EXPECT_EQ(row.x, (std::vector<BigFloat>{800, 0, 1}));
  EXPECT_EQ(row.derivative, std::vector<BigFloat>(3, 1));
  tests::expect_relatively_near(row.rest, others, 1e-48);
  tests::expect_relatively_near(row.loss, others, 1e-48);
  tests::expect_relatively_near(row.p, {BigFloat(1), exp(BigFloat(-800)), exp(BigFloat(-799))}, 1e-48);
  tests::expect_near(row.lse, BigFloat(800), 1e-46);
}

TEST(CceRow, CapsItsLogits) {
  const std::vector<double> hidden{1}, weight{3, 3}, bias{-3, -3};
  CceTerms<double> terms;
  terms.cap = 2;
  const CceRow<double> row = cce_row<double>(hidden, weight, bias, 1, terms);
  EXPECT_EQ(row.x, (std::vector<double>{0, 0}));
  EXPECT_EQ(cce_row<double>(hidden, weight, {}, 1, terms).x, std::vector<double>(2, softcap(3.0, 2.0).value));
  EXPECT_EQ(row.p, (std::vector<double>{0.5, 0.5}));
}

}  // namespace
}  // namespace assay::reference
