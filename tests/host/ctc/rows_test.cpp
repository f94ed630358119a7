// The tables of a batch's rows: slots, order, ends, classes, and what a row weighs.
#include "metal/host/ctc/rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/host/ctc/shapes.h"
#include "tests/matchers.h"
#include "tests/metal/ctc/batch.h"

namespace assay::metal::host {
namespace {

CtcRows rows_of(const Batch& batch) {
  return ctc_rows(batch.problem()).value();
}

/// Labels below 256 are counted; others are compared.
TEST(CtcRows, NumberTheClassesOfARowAnew) {
  for (const std::int64_t C : {9, 256, 257}) {
    const std::int64_t last = C - 1;
    const CtcRows tables = rows_of(Batch(4, C, {{7, 3, 7, last, 3, 7}}));
    EXPECT_THAT(tables.classes, ElementsAre(0, 3, 7, last));
    EXPECT_THAT(tables.slots, ElementsAre(2, 1, 2, 3, 1, 2));
    EXPECT_THAT(tables.order, ElementsAre(1, 4, 0, 2, 5, 3));
    EXPECT_THAT(tables.ends, ElementsAre(0, 2, 5, 6));
    EXPECT_EQ(tables.rows[0].labels, 6U);
    EXPECT_EQ(tables.rows[0].classes, 4U);
    EXPECT_EQ(states_of(tables.rows[0]), 13U);
  }
}

TEST(CtcRows, LieOneAfterTheOther) {
  Batch batch(4, 9, {{2, 1}, {}, {5}});
  batch.input_lengths = {4, 0, 3};
  for (const Batch& layout : {batch, batch.concatenated()}) {
    const CtcRows tables = rows_of(layout);
    EXPECT_THAT(tables.classes, ElementsAre(0, 1, 2, 0, 0, 5));
    EXPECT_THAT(tables.slots, ElementsAre(2, 1, 1));
    EXPECT_THAT(tables.order, ElementsAre(1, 0, 0));
    EXPECT_THAT(tables.ends, ElementsAre(0, 1, 2, 0, 0, 1));
    EXPECT_EQ(tables.rows[1].labels_begin, 2U);
    EXPECT_EQ(tables.rows[1].classes_begin, 3U);
    EXPECT_EQ(tables.rows[1].frames, 0U);
    EXPECT_EQ(tables.rows[2].labels_begin, 2U);
    EXPECT_EQ(tables.rows[2].classes_begin, 4U);
    EXPECT_EQ(tables.rows[2].frames, 3U);
  }
}

TEST(CtcRows, HaveTheBlankOfTheProblemFirst) {
  Batch batch(4, 9, {{2, 7}});
  batch.options.blank = 5;
  EXPECT_THAT(rows_of(batch).classes, ElementsAre(5, 2, 7));
}

TEST(CtcRows, WeighByReductionAndUpstream) {
  Batch batch(4, 9, {{2, 1}, {}, {5}});
  batch.upstream = {2.0F, -3.0F, 0.5F};
  EXPECT_EQ(rows_of(batch).rows[1].share, 1.0F);
  EXPECT_EQ(rows_of(batch).rows[1].weight, -3.0F);
  batch.upstream = {2.0F};
  batch.options.reduction = Reduction::sum;
  EXPECT_EQ(rows_of(batch).rows[2].weight, 2.0F);
  batch.options.reduction = Reduction::mean;
  const CtcRows mean = rows_of(batch);
  EXPECT_FLOAT_EQ(mean.rows[0].share, 1.0F / 6);
  EXPECT_FLOAT_EQ(mean.rows[1].share, 1.0F / 3);
  EXPECT_FLOAT_EQ(mean.rows[1].weight, 2.0F / 3);
}

TEST(CtcRows, OfNoBatchAreEmpty) {
  const CtcRows tables = rows_of(Batch(4, 9, {}));
  EXPECT_THAT(tables.rows, IsEmpty());
  EXPECT_THAT(tables.classes, IsEmpty());
}

TEST(CtcRows, CountIn32Bits) {
  test::Shapes shapes(std::int64_t{1} << 32, 2, {{1, 1}});
  const Result<CtcRows> frames = ctc_rows(shapes.problem());
  ASSERT_FALSE(frames);
  EXPECT_EQ(frames.error(), (Error{Error::Kind::limit, "T = 4294967296: expected at most 4294967295 on a device"}));
  shapes.options.T = 1;
  shapes.options.C = (std::int64_t{1} << 32) + 5;
  EXPECT_THAT(ctc_rows(shapes.problem()).error().text, HasSubstr("C = 4294967301"));
}

}  // namespace
}  // namespace assay::metal::host
