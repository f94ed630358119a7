// Rows are done together as long as they fit, and each knows where in the chunk's memory it begins.
#include "metal/host/ctc/chunks.h"

#include <gtest/gtest.h>

#include <limits>

#include "metal/host/ctc/rows.h"
#include "tests/matchers.h"

namespace assay::metal::host {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

ctc::Row row(std::uint32_t frames, std::uint32_t labels, std::uint32_t classes) {
  ctc::Row row{};
  row.frames = frames;
  row.labels = labels;
  row.classes = classes;
  return row;
}

CtcStatement statement(CtcPath path = CtcPath::production, bool with_gradient = true) {
  CtcStatement statement;
  statement.path = path;
  statement.with_gradient = with_gradient;
  statement.max_work = unlimited;
  return statement;
}

/// A row of 10 frames, 4 classes, 7 states: 40 emissions, 80 alpha, 80 beta.
std::vector<ctc::Row> alike(std::size_t count) {
  return std::vector<ctc::Row>(count, row(10, 3, 4));
}

TEST(CtcChunks, AreOneWhereAllFits) {
  std::vector<ctc::Row> rows = alike(3);
  const CtcChunks chunks = ctc_chunks(rows, statement(), {unlimited, unlimited}).value();
  ASSERT_EQ(chunks.chunks.size(), 1U);
  EXPECT_EQ(chunks.chunks[0].row_count, 3U);
  EXPECT_EQ(chunks.chunks[0].longest, 7U);
  EXPECT_EQ(chunks.space.emissions, 120U);
  EXPECT_EQ(chunks.space.alpha, 240U);
  EXPECT_EQ(chunks.space.beta, 240U);
  EXPECT_EQ(rows[2].emissions_begin, 80U);
  EXPECT_EQ(rows[2].alpha_begin, 160U);
  EXPECT_EQ(rows[2].beta_begin, 160U);
}

/// A row of 10 frames, 4 classes, 7 states: gradients of 10 * (2 * 7 + 4) * 16, more than emissions of as many classes.
TEST(CtcChunks, TakeNoMoreWorkThanACommandBuffer) {
  constexpr std::uint64_t of_row = 10 * (2 * 7 + 4) * 16;
  CtcStatement limited = statement();
  limited.T = 10;
  limited.C = 4;
  for (const auto& [max_work, expected] : {std::pair{2 * of_row, 2U}, {2 * of_row - 1, 1U}, {std::uint64_t{1}, 1U}}) {
    limited.max_work = max_work;
    std::vector<ctc::Row> rows = alike(5);
    EXPECT_EQ(ctc_frames_work(rows[0], limited), of_row);
    const CtcChunks chunks = ctc_chunks(rows, limited, {unlimited, unlimited}).value();
    EXPECT_EQ(chunks.chunks.size(), (5 + expected - 1) / expected);
    for (const CtcChunk& chunk : chunks.chunks) EXPECT_EQ(chunk.work, chunk.row_count * of_row);
  }
  limited.with_gradient = false;
  EXPECT_EQ(ctc_frames_work(alike(1)[0], limited), 10U * 4 * 32) << "emissions alone";
}

/// At the byte where one row more fits, and one byte below.
TEST(CtcChunks, FillTheBudgetAndNoMore) {
  constexpr std::uint64_t row_bytes = (40 + 80 + 80) * 8;
  for (const auto& [budget, expected] : {std::pair{2 * row_bytes, 2U}, std::pair{2 * row_bytes - 1, 1U}}) {
    std::vector<ctc::Row> rows = alike(5);
    const CtcChunks chunks = ctc_chunks(rows, statement(), {budget, unlimited}).value();
    EXPECT_EQ(chunks.chunks.size(), (5 + expected - 1) / expected);
    EXPECT_EQ(chunks.space.alpha, expected * 80);
    std::uint32_t next = 0;
    for (const CtcChunk& chunk : chunks.chunks) {
      EXPECT_EQ(chunk.first_row, next);
      EXPECT_EQ(rows[chunk.first_row].alpha_begin, 0U);
      EXPECT_LE(chunk.row_count, expected);
      next += chunk.row_count;
    }
    EXPECT_EQ(next, 5U);
  }
}

TEST(CtcChunks, KeepEachBufferWithinTheDevicesLength) {
  std::vector<ctc::Row> rows = alike(4);
  const CtcChunks chunks = ctc_chunks(rows, statement(), {unlimited, 3 * 80 * 8}).value();
  ASSERT_EQ(chunks.chunks.size(), 2U);
  EXPECT_EQ(chunks.chunks[0].row_count, 3U);
}

TEST(CtcChunks, KnowTheirOwnLongestRow) {
  std::vector<ctc::Row> rows = {row(10, 3, 4), row(10, 0, 1), row(10, 1, 2)};
  const CtcChunks chunks = ctc_chunks(rows, statement(), {200 * 8, unlimited}).value();
  ASSERT_EQ(chunks.chunks.size(), 2U);
  EXPECT_EQ(chunks.chunks[0].longest, 7U);
  EXPECT_EQ(chunks.chunks[1].longest, 3U);
}

/// The largest alpha is of one row, the largest emissions of another: there is memory for both at once, or for neither.
TEST(CtcChunks, HaveMemoryForTheLargestOfEach) {
  for (const bool fit : {true, false}) {
    std::vector<ctc::Row> rows = {row(10, 3, 2), row(10, 2, 3), row(10, 2, 3)};
    const Result<CtcChunks> chunks = ctc_chunks(rows, statement(), {(80 + 80 + 30) * 8 - (fit ? 0U : 1U), unlimited});
    ASSERT_EQ(chunks.has_value(), fit);
    if (!fit) continue;
    EXPECT_EQ(chunks->chunks.size(), 3U);
    EXPECT_EQ(chunks->space.count(), 190U);
  }
}

TEST(CtcChunks, OfTheLossAloneKeepTwoRowsOfAlpha) {
  std::vector<ctc::Row> rows = alike(2);
  const CtcChunks chunks = ctc_chunks(rows, statement(CtcPath::production, false), {unlimited, unlimited}).value();
  EXPECT_EQ(chunks.space.alpha, 2U * 16);
  EXPECT_EQ(chunks.space.beta, 0U);
  EXPECT_EQ(chunks.space.emissions, 80U);
}

TEST(CtcChunks, OfThePlainPathKeepWholeAlphaAndBetaAsFloat) {
  std::vector<ctc::Row> rows = alike(2);
  const CtcChunks chunks = ctc_chunks(rows, statement(CtcPath::plain), {140 * 4, unlimited}).value();
  EXPECT_EQ(chunks.chunks.size(), 2U);
  EXPECT_EQ(chunks.space.alpha, 70U);
  EXPECT_EQ(chunks.space.beta, 70U);
  EXPECT_EQ(chunks.space.emissions, 0U);
}

TEST(CtcChunks, RefuseARowThatIsTooLargeAlone) {
  std::vector<ctc::Row> rows = {row(1, 0, 1), row(10, 3, 4)};
  const Result<CtcChunks> chunks = ctc_chunks(rows, statement(), {1599, unlimited});
  ASSERT_FALSE(chunks);
  EXPECT_EQ(chunks.error().kind, Error::Kind::limit);
  EXPECT_THAT(chunks.error().text,
              HasSubstr("a row alone takes 320 bytes of emissions, 640 of alpha and 640 of beta (b=1: 10 frames, 7 "
                        "states): expected at most workspace_bytes = 1599"));
  EXPECT_TRUE(ctc_chunks(rows, statement(), {1600, unlimited}));
}

TEST(CtcChunks, CountIn64BitsAndNotBeyond) {
  std::vector<ctc::Row> rows(3, row(1U << 20U, 1U << 20U, 100));
  const CtcChunks chunks = ctc_chunks(rows, statement(), {unlimited, unlimited}).value();
  EXPECT_EQ(rows[2].alpha_begin, 2 * (std::uint64_t{1} << 20U) * ((std::uint64_t{1} << 21U) + 2));
  EXPECT_EQ(chunks.chunks.size(), 1U);
  rows.assign(1, row(~0U, ~0U >> 1U, 100));
  EXPECT_FALSE(ctc_chunks(rows, statement(), {unlimited, unlimited}));
}

/// 2^32 - 1 threads along an axis, 1024 of them a row.
TEST(CtcChunks, KeepAGridWithin32Bits) {
  constexpr std::size_t most = 4194303;
  std::vector<ctc::Row> rows(most + 1, row(0, 0, 1));
  const CtcChunks chunks = ctc_chunks(rows, statement(), {unlimited, unlimited}).value();
  ASSERT_EQ(chunks.chunks.size(), 2U);
  EXPECT_EQ(chunks.chunks[0].row_count, most);
}

TEST(CtcRoom, IsAQuarterOfTheWorkingSetUnlessTold) {
  Limits limits;
  EXPECT_EQ(CtcRoom::of(limits, 0).workspace_bytes, unlimited);
  EXPECT_EQ(CtcRoom::of(limits, 0).buffer_bytes, unlimited);
  limits.recommended_max_working_set_size = 400;
  limits.max_buffer_length = 200;
  EXPECT_EQ(CtcRoom::of(limits, 0).workspace_bytes, 100U);
  EXPECT_EQ(CtcRoom::of(limits, 7).workspace_bytes, 7U);
  EXPECT_EQ(CtcRoom::of(limits, 0).buffer_bytes, 200U);
}

}  // namespace
}  // namespace assay::metal::host
