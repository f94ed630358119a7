// Which kernels rotate matrices of which extents, in how many dispatches, in which groups; on either side of every
// boundary.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "metal/host/svd/svd.h"
#include "tests/host/host_stream.h"
#include "tests/kernels/svd/case.h"
#include "tests/matchers.h"

namespace assay::metal::test {
namespace {

class SvdDispatches : public testing::Test {
 protected:
  template <class Real = float>
  std::vector<Dispatch> dispatches(std::int64_t M, std::int64_t N, std::int64_t B = 1, const SvdOptions& options = {},
                                   bool with_vectors = true) {
    stream_.recorder.dispatches.clear();
    stream_.pipelines.clear();
    const Svd svd = Svd::create(stream_.device, stream_.library, options).value();
    const TypedSvd<Real> typed({B, M, N, std::vector<float>(static_cast<std::size_t>(B * M * N))});
    SvdResults<Real> results(typed.problem(), with_vectors);
    const Result<void> done = svd(typed.problem(), results.spans());
    EXPECT_TRUE(done) << done.error().text;
    return stream_.dispatches();
  }

  HostStream stream_;
};

struct Boundary {
  std::int64_t columns;
  const char* kernel;
  std::uint32_t padded;
  std::uint64_t threads;
};

constexpr Boundary boundaries[] = {{1, "svd_sweeps_8_threadgroup", 2, 32},    {2, "svd_sweeps_8_threadgroup", 2, 32},
                                   {8, "svd_sweeps_8_threadgroup", 8, 32},    {9, "svd_sweeps_8_threadgroup", 10, 64},
                                   {88, "svd_sweeps_8_threadgroup", 88, 352}, {89, "svd_sweeps_8", 90, 384},
                                   {255, "svd_sweeps_8", 256, 1024},          {256, "svd_sweeps_8", 256, 1024}};

TEST_F(SvdDispatches, OfUpTo256ColumnsAreThree) {
  for (const Boundary& at : boundaries) {
    const auto all = dispatches(at.columns, at.columns, 3, {.max_sweeps = 20});
    ASSERT_THAT(stream_.pipelines, ElementsAre("svd_load_float", at.kernel, "svd_finish_float"));
    ASSERT_EQ(all.size(), 3U) << at.columns;
    for (const Dispatch& dispatch : all) {
      EXPECT_EQ(dispatch.groups, (Size{3, 1, 1})) << dispatch.kernel;
      EXPECT_TRUE(dispatch.is_ordered) << dispatch.kernel;
      const auto shape = dispatch.shape<svd::Shape>();
      EXPECT_EQ(shape.rows, at.columns);
      EXPECT_EQ(shape.columns, at.columns);
      EXPECT_EQ(shape.padded, at.padded);
      EXPECT_EQ(shape.is_wide, 0U);
    }
    EXPECT_EQ(all[1].group, (Size{at.threads, 1, 1})) << at.columns;
    EXPECT_EQ(all[0].group, (Size{32U * std::min<std::uint64_t>(32, static_cast<std::uint64_t>(at.columns)), 1, 1}));
    EXPECT_EQ(all[2].group, all[0].group);
  }
}

TEST_F(SvdDispatches, OfMoreColumnsAreThoseOfBlocks) {
  for (const auto& [columns, padded] : {std::pair{257, 288U}, {287, 288U}, {288, 288U}, {289, 320U}}) {
    const auto all = dispatches(columns, columns, 2);
    const std::size_t blocks = padded / 16;
    ASSERT_EQ(all.size(), 1 + (blocks - 1) + 1 + 1) << "one sweep, for mocks rotate nothing";
    for (std::size_t step = 0; step < blocks - 1; ++step) {
      const Dispatch& dispatch = all[1 + step];
      EXPECT_EQ(dispatch.kernel, "svd_block_rotate");
      EXPECT_EQ(dispatch.groups, (Size{blocks / 2, 2, 1}));
      EXPECT_EQ(dispatch.group, (Size{512, 1, 1}));
      EXPECT_EQ(dispatch.shape<svd::Shape>().step, step);
      EXPECT_EQ(dispatch.shape<svd::Shape>().padded, padded);
      EXPECT_TRUE(dispatch.is_ordered);
    }
    EXPECT_EQ(all[blocks].kernel, "svd_settle");
    EXPECT_EQ(all[blocks].groups, (Size{2, 1, 1}));
    EXPECT_EQ(all[blocks].shape<svd::Shape>().groups, blocks / 2);
    EXPECT_EQ(all.back().kernel, "svd_finish_float");
  }
}

TEST_F(SvdDispatches, OfThePlainPathHaveAGroupAPair) {
  for (const std::int64_t columns : {1, 2, 3, 64, 65, 257}) {
    const auto all = dispatches(columns, columns, 2, {.path = SvdPath::plain});
    const auto padded = static_cast<std::uint64_t>((columns + 1) / 2 * 2);
    ASSERT_EQ(all.size(), 1 + (padded - 1) + 1 + 1) << columns;
    for (std::uint64_t step = 0; step < padded - 1; ++step) {
      const Dispatch& dispatch = all[1 + step];
      EXPECT_EQ(dispatch.kernel, "svd_jacobi_rotate");
      EXPECT_EQ(dispatch.groups, (Size{padded / 2, 2, 1})) << columns;
      EXPECT_EQ(dispatch.shape<svd::Shape>().step, step);
    }
  }
  EXPECT_EQ(dispatches(33, 4, 1, {.path = SvdPath::plain})[1].group, (Size{64, 1, 1}));
  EXPECT_EQ(dispatches(1000, 4, 1, {.path = SvdPath::plain})[1].group, (Size{256, 1, 1}));
  stream_.max_threads = 100;
  EXPECT_EQ(dispatches(1000, 4, 1, {.path = SvdPath::plain})[1].group, (Size{96, 1, 1})) << "whole simdgroups";
}

struct Shared {
  std::int64_t rows, columns;
  const char* kernel;
  std::uint64_t bytes;
  bool with_rotations;
};

/// W [padded, rows] and V [padded, columns]: their columns are shared_stride floats apart.
TEST_F(SvdDispatches, KeepSmallMatricesInThreadgroupMemory) {
  for (const Shared& at : {Shared{32, 32, "svd_sweeps_8_threadgroup", 4 * 32 * (32 + 32), true},
                           {56, 56, "svd_sweeps_8_threadgroup", 4 * 56 * (56 + 56), true},
                           {57, 56, "svd_sweeps_8_threadgroup", 4 * 56 * (64 + 56), true},
                           {64, 64, "svd_sweeps_8_threadgroup", 4 * 64 * (64 + 64), true},
                           {65, 64, "svd_sweeps_8_threadgroup", 4 * 64 * 72, false},
                           {128, 64, "svd_sweeps_8_threadgroup", 4 * 64 * 128, false},
                           {128, 65, "svd_sweeps_8", 0, false},
                           {129, 60, "svd_sweeps_32_threadgroup", 4 * 60 * 136, false},
                           {129, 62, "svd_sweeps_32", 0, false},
                           {129, 65, "svd_sweeps_8", 0, false},
                           {4088, 1, "svd_sweeps_32_threadgroup", 4 * 2 * (4088 + 8), true},
                           {4096, 2, "svd_sweeps_32_threadgroup", 4 * 2 * 4096, false},
                           {4097, 2, "svd_sweeps_32", 0, false}}) {
    const Dispatch dispatch = dispatches(at.rows, at.columns)[1];
    EXPECT_EQ(dispatch.kernel, at.kernel) << at.rows << " x " << at.columns;
    EXPECT_EQ(dispatch.threadgroup_length, at.bytes) << at.rows << " x " << at.columns;
    EXPECT_EQ(dispatch.constant(svd::shares_rotations_constant), at.with_rotations) << at.rows << " x " << at.columns;
  }
  EXPECT_EQ(dispatches(32, 32, 1, {}, false)[1].threadgroup_length, 4U * 32 * 32) << "no vectors";
}

TEST_F(SvdDispatches, TakeWideMatricesTransposed) {
  for (const auto& [M, N] : {std::pair{3, 65}, {65, 3}}) {
    const auto shape = dispatches(M, N)[1].shape<svd::Shape>();
    EXPECT_EQ(shape.rows, 65U);
    EXPECT_EQ(shape.columns, 3U);
    EXPECT_EQ(shape.is_wide, M < N ? 1U : 0U);
  }
}

TEST_F(SvdDispatches, AreOfTheTypeOfTheMatrices) {
  (void)dispatches<Half>(2, 2);
  EXPECT_THAT(stream_.pipelines, ElementsAre("svd_load_half", "svd_sweeps_8_threadgroup", "svd_finish_half"));
  (void)dispatches<BFloat16>(2, 2);
  EXPECT_THAT(stream_.pipelines, ElementsAre("svd_load_bfloat", "svd_sweeps_8_threadgroup", "svd_finish_bfloat"));
}

TEST_F(SvdDispatches, SayWhetherVectorsAreWanted) {
  for (const bool with_vectors : {true, false})
    for (const Dispatch& dispatch : dispatches(4, 4, 1, {}, with_vectors))
      EXPECT_EQ(dispatch.constant(svd::with_vectors_constant), with_vectors) << dispatch.kernel;
}

/// The square of the largest norm stays below 2^126, and squares of small columns as far from 0 as that allows.
TEST_F(SvdDispatches, ScaleAsFarAsSquaresOfNormsAllow) {
  for (const auto& [M, N, top] : {std::tuple{1, 1, 62}, {64, 64, 56}, {1, 64, 59}, {65, 64, 56}, {257, 257, 54}}) {
    EXPECT_EQ(dispatches(M, N)[0].shape<svd::Shape>().top, top) << M << " x " << N;
    EXPECT_LT(std::log2(double(M) * double(N)) + 2 * top, 126);
  }
}

TEST_F(SvdDispatches, NeedTheThreadsOfAllPairs) {
  stream_.max_threads = 1023;
  const Svd svd = Svd::create(stream_.device, stream_.library).value();
  const auto error_of = [&](std::int64_t n) {
    const TypedSvd<float> typed({1, n, n, std::vector<float>(static_cast<std::size_t>(n * n))});
    SvdResults<float> results(typed.problem());
    const Result<void> done = svd(typed.problem(), results.spans());
    return done ? std::string() : done.error().text;
  };
  EXPECT_EQ(error_of(256), "kernel svd_sweeps_8: max_total_threads_per_threadgroup = 1023: expected at least 1024");
  EXPECT_EQ(error_of(248), "");
  EXPECT_EQ(error_of(257), "");
  stream_.width = 64;
  EXPECT_THAT(error_of(65), HasSubstr("thread_execution_width = 64"));
}

TEST_F(SvdDispatches, OfBlocksNeed512Threads) {
  stream_.max_threads = 511;
  const TypedSvd<float> typed({1, 257, 257, std::vector<float>(257 * 257)});
  SvdResults<float> results(typed.problem());
  EXPECT_EQ(Svd::create(stream_.device, stream_.library).value()(typed.problem(), results.spans()).error(),
            (Error{Error::Kind::limit,
                   "kernel svd_block_rotate: max_total_threads_per_threadgroup = 511: expected at least 512"}));
}

}  // namespace
}  // namespace assay::metal::test
