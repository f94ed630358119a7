// What is particular to the plans of this operation; plans_test.cpp has what holds of all.
#include "metal/host/ctc/plan.h"

#include <gtest/gtest.h>

#include "metal/host/ctc/ctc.h"
#include "metal/kernels/ctc/interface.h"
#include "tests/host/ctc/shapes.h"
#include "tests/host/host_stream.h"
#include "tests/matchers.h"
#include "tests/refusal.h"

namespace assay::metal::test {
namespace {

using reference::Reduction;
using testing::_;

class CtcPlanOf : public testing::Test {
 protected:
  CtcLoss loss(const CtcOptions& options = {}) {
    return CtcLoss::create(stream_.device, stream_.library, options).value();
  }
  CtcPlan plan(const Shapes& shapes, bool with_gradient = true, const CtcOptions& options = {}) {
    return loss(options).prepare(shapes.problem(), with_gradient).value();
  }

  /// The caller's buffers. Each part begins at an offset.
  CtcBuffers buffers(const CtcPlan& plan) {
    return {{stream_.make_buffer("a", 8 + plan.activation_bytes()), 8},
            {stream_.make_buffer("g", 12 + plan.gradient_bytes()), 12},
            {stream_.make_buffer("l", 4 + plan.loss_bytes()), 4}};
  }

  HostStream stream_;
};

TEST_F(CtcPlanOf, AReductionKeepsTheLossesOfRowsToItself) {
  Shapes shapes(4, 5, {{4, 2}, {3, 1}});
  shapes.options.reduction = Reduction::sum;
  const CtcPlan reduced = plan(shapes, false);
  EXPECT_EQ(reduced.loss_bytes(), 4U);
  ASSERT_TRUE(reduced.encode(*stream_.encoder, buffers(reduced)));
  for (const Dispatch& dispatch : stream_.dispatches()) {
    EXPECT_EQ(dispatch.bindings.at(ctc::losses_index), (Binding{"ctc losses", 0}));
    EXPECT_EQ(dispatch.bindings.at(ctc::result_index), (Binding{"l", 4}));
    EXPECT_FALSE(dispatch.bindings.contains(ctc::gradient_index));
    EXPECT_FALSE(dispatch.bindings.contains(ctc::beta_index));
  }
}

/// The rule that the test above stands on: a host that prepares too late is caught.
TEST_F(CtcPlanOf, PreparedWithinAnEncoderMakesItStale) {
  const CtcLoss host = loss();
  const auto encoder = *stream_.commands->compute_encoder(DispatchType::serial);
  const CtcPlan late = host.prepare(one_row(4, 2).problem(), true).value();
  EXPECT_TRUE(late.encode(*encoder, buffers(late)));
  const Result<void> ended = encoder->end_encoding();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, Error::Kind::stale_encoder);
}

TEST_F(CtcPlanOf, NothingTakesNoBuffers) {
  EXPECT_TRUE(plan(Shapes(7, 5, {})).encode(*stream_.encoder, {}));
  EXPECT_TRUE(stream_.dispatches().empty());
  const CtcPlan no_frames = plan(Shapes(0, 5, {{0, 2}}));
  EXPECT_EQ(no_frames.activation_bytes(), 0U);
  EXPECT_TRUE(no_frames.encode(*stream_.encoder, {{}, {}, {stream_.make_buffer("l", 4), 0}}));
  ASSERT_EQ(stream_.dispatches().size(), 1U);
  EXPECT_FALSE(stream_.dispatches()[0].bindings.contains(ctc::activations_index));
}

/// Whatever is done of a chunk: all rows, each once, in order.
TEST_F(CtcPlanOf, ASmallBudgetWorksOnOneChunkOfRowsAfterTheOther) {
  const Shapes shapes(4, 5, {{4, 2}, {4, 2}, {4, 2}, {4, 200}, {4, 2}});
  CtcOptions options;
  options.workspace_bytes = (2 * 4 * 402 + 3 * 4 * 3) * 8;
  const CtcPlan chunked = plan(shapes, true, options);
  ASSERT_TRUE(chunked.encode(*stream_.encoder, buffers(chunked)));
  std::map<std::string, std::uint32_t> next;
  for (const Dispatch& dispatch : stream_.dispatches()) {
    EXPECT_TRUE(dispatch.is_ordered);
    EXPECT_EQ(dispatch.shape<ctc::Shape>().first_row, next[dispatch.kernel]) << dispatch.kernel;
    next[dispatch.kernel] += dispatch.shape<ctc::Shape>().row_count;
  }
  for (const auto& [kernel, rows] : next) EXPECT_EQ(rows, 5U) << kernel;
  EXPECT_GT(stream_.dispatches().size(), next.size()) << "in chunks";
  EXPECT_LE(stream_.lengths.at("ctc alpha") + stream_.lengths.at("ctc beta") + stream_.lengths.at("ctc emissions"),
            options.workspace_bytes);
  options.workspace_bytes = (2 * 4 * 402 + 4 * 5) * 8 - 1;
  EXPECT_THAT(loss(options).prepare(shapes.problem(), true).error().text, HasSubstr("(b=3: 4 frames, 401 states)"));
}

/// 2^32 activations, and more alpha than 32 bits count: shapes alone, for no test has such spans.
TEST_F(CtcPlanOf, ShapesBeyond32BitsAreCountedIn64) {
  constexpr std::int64_t T = 65536, B = 256, C = 256, labels = 1000;
  const Shapes shapes(T, C, std::vector<std::pair<std::int64_t, std::int64_t>>(B, {T, labels}));
  const CtcPlan large = plan(shapes, true, {.max_work = ~std::uint64_t{0}});
  constexpr std::uint64_t elements = std::uint64_t{1} << 32U;
  EXPECT_EQ(large.activation_bytes(), elements * 4);
  EXPECT_EQ(stream_.lengths.at("ctc normalizers"), std::uint64_t{T} * B * 4);
  EXPECT_EQ(stream_.lengths.at("ctc alpha"), std::uint64_t{T} * B * (2 * labels + 2) * 8);
  EXPECT_EQ(stream_.lengths.at("ctc emissions"), std::uint64_t{T} * B * 256 * 8);
  const std::vector<ctc::Row> rows = stream_.table<ctc::Row>("ctc rows");
  EXPECT_EQ(rows[255].alpha_begin, std::uint64_t{255} * T * (2 * labels + 2));
  EXPECT_EQ(rows[255].emissions_begin, std::uint64_t{255} * T * 256);
  EXPECT_EQ(rows[255].beta_begin, rows[255].alpha_begin);
  constexpr std::uint64_t offset = elements * 8;
  const CtcBuffers given{{stream_.make_buffer("a", offset + elements * 4), offset},
                         {stream_.make_buffer("g", offset + elements * 4), offset},
                         {stream_.make_buffer("l", B * 4), 0}};
  ASSERT_TRUE(large.encode(*stream_.encoder, given));
  EXPECT_EQ(stream_.dispatches()[0].bindings.at(ctc::activations_index), (Binding{"a", offset}));
  EXPECT_EQ(stream_.dispatches()[2].bindings.at(ctc::gradient_index), (Binding{"g", offset}));
  EXPECT_EQ(stream_.dispatches()[0].groups, (Size{B, T / 8, 1}));
  EXPECT_EQ(stream_.dispatches()[0].shape<ctc::Shape>().C, C);
}

TEST_F(CtcPlanOf, ALongBatchHasAGridWithin32Bits) {
  constexpr std::int64_t T = (std::int64_t{1} << 32) - 1;
  const CtcPlan longest = plan(Shapes(T, 5, {{3, 1}, {T, 0}}), false, {.max_work = ~std::uint64_t{0}});
  EXPECT_EQ(longest.dispatches()[0].groups, (Size{2, static_cast<std::uint64_t>(T) / 8 + 1, 1}));
  EXPECT_EQ(longest.activation_bytes(), std::uint64_t{T} * 40);
}

TEST_F(CtcPlanOf, ShapesBeyond64BitsAreRefused) {
  Shapes shapes(std::int64_t{1} << 31, 5, {{1, 1}});
  shapes.options.C = (std::int64_t{1} << 32) - 1;
  EXPECT_THAT(loss().prepare(shapes.problem(), true).error().text, HasSubstr("T * B * C = "));
  shapes.options.T = std::int64_t{1} << 62;
  EXPECT_THAT(refusal_of([&] { (void)loss().prepare(shapes.problem(), true); }),
              HasSubstr("expected a product that fits in 64 bits"));
}

}  // namespace
}  // namespace assay::metal::test
