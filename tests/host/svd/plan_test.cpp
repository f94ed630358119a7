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
