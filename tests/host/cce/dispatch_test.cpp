// What must hold of the dispatches, whatever they are: tests/kernels shows at every edge that the results are right.
#include "metal/host/cce/dispatch.h"

#include <gtest/gtest.h>

#include "tests/host/cce/statements.h"
#include "tests/host/host_stream.h"
#include "tests/matchers.h"

namespace assay::metal::test {
namespace {

using host::CceDispatch;

class CceDispatches : public testing::Test {
 protected:
  Result<std::vector<CceDispatch>> made(const host::CceStatement& statement) {
    stream_.pipelines.clear();
    pipelines_ = std::make_unique<host::Pipelines>(stream_.device, stream_.library);
    return host::cce_dispatches(*pipelines_, stream_.limits, statement);
  }
  std::vector<CceDispatch> dispatches(const host::CceStatement& statement) { return made(statement).value(); }

  HostStream stream_;
  std::unique_ptr<host::Pipelines> pipelines_;
};

TEST_F(CceDispatches, AreNoneWhereNothingIsWanted) {
  for (const CcePath path : {CcePath::production, CcePath::plain}) {
    EXPECT_THAT(dispatches(statement_of(10, 4, 20, path, {})), IsEmpty());
    const std::size_t all = dispatches(statement_of(10, 4, 20, path, {true, true, true, true})).size();
    for (const host::CceWork& work : {host::CceWork{.forward = true}, {.dhidden = true}, {.dweight = true}})
      EXPECT_LT(dispatches(statement_of(10, 4, 20, path, work)).size(), all);
  }
}

/// The order of additions depends on the threads, which may not depend on anything but V.
TEST_F(CceDispatches, OfATokenHaveThreadsThatDependOnVAlone) {
  for (const std::uint64_t V : {1U, 513U, 131'072U}) {
    const auto alone = dispatches(statement_of(1, 4, V, CcePath::production, {.forward = true}));
    const auto many = dispatches(statement_of(100, 4, V, CcePath::production, {.forward = true}));
    ASSERT_EQ(alone.size(), many.size()) << V;
    for (std::size_t n = 0; n < alone.size(); ++n) EXPECT_EQ(alone[n].kernel.threads, many[n].kernel.threads) << V;
  }
}

TEST_F(CceDispatches, OfThePlainPathHaveTheWholeSimdgroupsThatThereAre) {
  for (const auto& [pipeline, device] : {std::pair{1024U, 1024U}, {100U, 1024U}, {100U, 64U}}) {
    stream_.max_threads = pipeline;
    stream_.limits.max_total_threads_per_threadgroup = device;
    for (const CceDispatch& dispatch : dispatches(statement_of(10, 4, 20, CcePath::plain))) {
      EXPECT_EQ(dispatch.kernel.threads % 32, 0U);
      EXPECT_GT(dispatch.kernel.threads, 0U);
      EXPECT_LE(dispatch.kernel.threads, std::min(pipeline, device));
    }
  }
}

/// Every row once, in order; the last chunk takes what is left.
TEST_F(CceDispatches, OfThePlainPathCoverEveryRowOnceInChunks) {
  for (const std::uint64_t chunk : {32U, 64U, 1024U, 16384U})
    for (const std::uint64_t rows : {1U, 31U, 32U, 33U, 63U, 64U, 65U, 16384U, 16385U}) {
      host::CceStatement statement =
          statement_of(rows, 4, rows + 1, CcePath::plain, {.dhidden = true, .dweight = true});
      statement.chunk = chunk;
      std::uint64_t tokens = 0, entries = 0;
      for (const CceDispatch& dispatch : dispatches(statement)) {
        std::uint64_t& next = tokens < rows ? tokens : entries;
        const std::uint64_t count = tokens < rows ? dispatch.shape.tokens : dispatch.shape.entries;
        EXPECT_EQ(tokens < rows ? dispatch.shape.first_token : dispatch.shape.first_entry, next);
        EXPECT_LE(count, chunk);
        EXPECT_GT(count, 0U);
        next += count;
        EXPECT_EQ(dispatch.shape.chunk, chunk);
        EXPECT_EQ(dispatch.groups.width, count);
      }
      EXPECT_EQ(tokens, rows);
      EXPECT_EQ(entries, rows + 1);
    }
}

TEST_F(CceDispatches, NeedTheThreadsOfATile) {
  stream_.max_threads = 127;
  EXPECT_EQ(made(statement_of(10, 4, 20, CcePath::production)).error(),
            (Error{Error::Kind::limit,
                   "kernel cce_logits_float: max_total_threads_per_threadgroup = 127: expected at least 128"}));
  stream_.max_threads = 31;
  EXPECT_THAT(made(statement_of(10, 4, 20, CcePath::plain)).error().text, HasSubstr("= 31: expected at least 32"));
  stream_.max_threads = 1024;
  stream_.width = 64;
  for (const CcePath path : {CcePath::production, CcePath::plain})
    EXPECT_THAT(made(statement_of(10, 4, 20, path)).error().text, HasSubstr("thread_execution_width = 64"));
}

}  // namespace
}  // namespace assay::metal::test
