// What must hold of the dispatches on either side of every boundary, whatever they are: tests/kernels shows that the
// results are right.
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

/// Extents at which another kernel is taken, or another memory.
constexpr std::pair<std::int64_t, std::int64_t> extents[] = {{1, 1},   {8, 8},     {9, 9},     {57, 56},  {65, 64},
                                                             {88, 88}, {89, 89},   {129, 60},  {129, 62}, {256, 256},
                                                             {9, 257}, {257, 257}, {289, 288}, {4096, 2}, {4097, 2}};

/// Each after what the one before it wrote, with threads and memory that the device has; of a batch no more of them.
TEST_F(SvdDispatches, AreInOrderAndWithinTheLimits) {
  for (const SvdPath path : {SvdPath::production, SvdPath::plain})
    for (const std::uint32_t most : {1024U, 1100U}) {
      stream_.max_threads = most;
      for (const auto& [M, N] : extents) {
        const auto all = dispatches(M, N, 2, {.path = path});
        EXPECT_EQ(all.size(), dispatches(M, N, 1, {.path = path}).size());
        for (const Dispatch& dispatch : all) {
          EXPECT_TRUE(dispatch.is_ordered) << dispatch.kernel;
          EXPECT_EQ(dispatch.group.width % 32, 0U) << M << " x " << N;
          EXPECT_LE(dispatch.group.width, 1024U) << M << " x " << N;
          EXPECT_LE(dispatch.threadgroup_length, 32768U) << M << " x " << N;
        }
      }
    }
  stream_.max_threads = 100;
  for (const Dispatch& dispatch : dispatches(1000, 4, 1, {.path = SvdPath::plain}))
    EXPECT_LE(dispatch.group.width, 96U) << "whole simdgroups";
}

TEST_F(SvdDispatches, OfWideMatricesAreThoseOfTallOnes) {
  (void)dispatches(65, 3);
  const std::vector<std::string> tall = stream_.pipelines;
  (void)dispatches(3, 65);
  EXPECT_EQ(stream_.pipelines, tall);
}

/// The square of the largest norm stays below 2^126, and squares of small columns as far from 0 as that allows.
TEST_F(SvdDispatches, ScaleAsFarAsSquaresOfNormsAllow) {
  for (const auto& [M, N] : extents) {
    const auto top = dispatches(M, N)[0].shape<svd::Shape>().top;
    const double elements = std::log2(static_cast<double>(M) * static_cast<double>(N));
    EXPECT_LT(elements + 2 * top, 126) << M << " x " << N;
    EXPECT_GT(elements + 2 * (top + 1), 125) << M << " x " << N << ": to a power of two";
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
