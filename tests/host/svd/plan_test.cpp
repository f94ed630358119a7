// What is particular to the plans of this operation, such as what it says of matrices that have not converged;
// plans_test.cpp has what holds of all.
#include "metal/host/svd/plan.h"

#include <gtest/gtest.h>

#include "metal/host/svd/svd.h"
#include "tests/host/host_stream.h"
#include "tests/host/operations.h"
#include "tests/matchers.h"

namespace assay::metal::test {
namespace {

using testing::_;

class SvdPlanOf : public testing::Test {
 protected:
  Svd svd(const SvdOptions& options = {}) { return Svd::create(stream_.device, stream_.library, options).value(); }
  SvdPlan plan(std::int64_t B, std::int64_t M, std::int64_t N, const SvdOptions& options = {}, bool vectors = true) {
    return svd(options).prepare(SvdProblem<float>{B, M, N, {}}, vectors).value();
  }
  /// The caller's buffers. Each part begins at an offset.
  SvdBuffers buffers(const SvdPlan& plan) {
    return {{stream_.make_buffer("A", 8 + plan.matrix_bytes()), 8},
            {stream_.make_buffer("U", 12 + plan.left_bytes()), 12},
            {stream_.make_buffer("S", 4 + plan.values_bytes()), 4},
            {stream_.make_buffer("Vh", 16 + plan.right_bytes()), 16},
            {stream_.make_buffer("status", 20 + plan.status_bytes()), 20}};
  }

  HostStream stream_;
};

TEST_F(SvdPlanOf, WithoutVectorsTakesNoneOfTheirBuffers) {
  const SvdPlan values = plan(2, 3, 2, {}, false);
  EXPECT_EQ(values.left_bytes() + values.right_bytes(), 0U);
  SvdBuffers given = buffers(values);
  given.U = given.Vh = {};
  ASSERT_TRUE(values.encode(*stream_.encoder, given));
  for (const Dispatch& dispatch : stream_.dispatches()) {
    EXPECT_FALSE(dispatch.bindings.contains(svd::left_index));
    EXPECT_FALSE(dispatch.bindings.contains(svd::right_index));
  }
}

/// Nobody reads whether another sweep is needed: there are as many as the limit.
TEST_F(SvdPlanOf, EncodesEachSweepUpToTheLimit) {
  for (const auto& [M, path, round] :
       {std::tuple{4, SvdPath::plain, 4U}, {288, SvdPath::production, 18U}, {4, SvdPath::production, 0U}}) {
    const SvdPlan whole = plan(2, M, M, {.path = path, .max_sweeps = 3});
    stream_.recorder.dispatches.clear();
    ASSERT_TRUE(whole.encode(*stream_.encoder, buffers(whole)));
    const auto& all = stream_.dispatches();
    ASSERT_EQ(all.size(), whole.dispatch_count());
    ASSERT_EQ(all.size(), 2 + (round == 0 ? 1 : 3 * round));
    EXPECT_EQ(all.front().kernel, "svd_load_float");
    EXPECT_EQ(all.back().kernel, "svd_finish_float");
    for (const Dispatch& dispatch : all) EXPECT_TRUE(dispatch.is_ordered) << dispatch.kernel;
    for (std::uint32_t sweep = 0; round != 0 && sweep < 3; ++sweep)
      for (std::uint32_t step = 0; step < round; ++step) {
        const Dispatch& dispatch = all[1 + sweep * round + step];
        EXPECT_EQ(dispatch.kernel == "svd_settle", step + 1 == round) << dispatch.kernel;
        EXPECT_EQ(dispatch.shape<svd::Shape>().sweep, sweep);
        EXPECT_EQ(dispatch.shape<svd::Shape>().step, step);
      }
    if (round == 0) {
      EXPECT_EQ(all[1].shape<svd::Shape>().sweeps, 3U);
    }
  }
}

/// Each chunk on its part of the caller's buffers, and in the same memory for intermediate results.
TEST_F(SvdPlanOf, TakesABatchInParts) {
  constexpr std::uint64_t matrix = 24 + 24 + 16 + 4 * 8 + 4 + 4 + 24 + 16;
  const SvdPlan parts = plan(7, 3, 2, {.workspace_bytes = 3 * matrix});
  EXPECT_EQ(stream_.lengths.at("svd work"), 3U * 24);
  ASSERT_TRUE(parts.encode(*stream_.encoder, buffers(parts)));
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> done;
  for (const Dispatch& dispatch : stream_.dispatches())
    done.emplace_back(dispatch.groups.width, dispatch.bindings.at(svd::matrices_index).offset,
                      dispatch.bindings.at(svd::status_index).offset);
  const std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> expected = {
      {3, 8, 20},  {3, 8, 20},   {3, 8, 20},   {3, 80, 32}, {3, 80, 32},
      {3, 80, 32}, {1, 152, 44}, {1, 152, 44}, {1, 152, 44}};
  EXPECT_EQ(done, expected);
}

TEST_F(SvdPlanOf, NothingTakesNoBuffers) {
  for (const auto& [B, M, N] : {std::tuple{0, 3, 2}, {4, 0, 2}, {4, 3, 0}}) {
    const SvdPlan none = plan(B, M, N);
    EXPECT_EQ(none.dispatch_count(), 0U);
    EXPECT_TRUE(none.encode(*stream_.encoder, {}));
    EXPECT_TRUE(none.check_status({}));
  }
  EXPECT_TRUE(stream_.dispatches().empty());
  EXPECT_TRUE(stream_.lengths.empty());
}

TEST_F(SvdPlanOf, NamesTheMatrixThatDoesNotConverge) {
  const SvdPlan whole = plan(3, 3, 2, {.max_sweeps = 5});
  EXPECT_TRUE(whole.check_status(std::vector<std::uint32_t>{1, 2, 5}));
  EXPECT_EQ(whole.check_status(std::vector<std::uint32_t>{1, svd::not_converged, 5}).error(),
            (Error{Error::Kind::execution, "A[b=1]: columns not orthogonal after 5 sweeps"}));
  EXPECT_EQ(whole.check_status(std::vector<std::uint32_t>{1}).error(),
            (Error{Error::Kind::argument, "status.size() = 1: expected B = 3"}));
}

TEST_F(SvdPlanOf, RefusesWhatItCannotPrepare) {
  EXPECT_EQ(Svd::create(nullptr).value().prepare(SvdProblem<float>{1, 2, 2, {}}, true).error().kind,
            Error::Kind::environment);
  EXPECT_THAT(refusal_of([&] { (void)plan(-1, 2, 2); }), HasSubstr("B = -1"));
  EXPECT_THAT(svd().prepare(SvdProblem<float>{0, std::int64_t{1} << 32, 1, {}}, true).error().text,
              HasSubstr("max(M, N) = 4294967296"));
  stream_.function_names.clear();
  EXPECT_THAT(svd().prepare(SvdProblem<BFloat16>{1, 2, 2, {}}, true).error().text, HasSubstr("svd_load_bfloat"));
}

}  // namespace
}  // namespace assay::metal::test
