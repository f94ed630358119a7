// Which kernels are dispatched, with which constants, on which rows, in which groups.
#include "metal/host/cce/dispatch.h"

#include <fmt/format.h>
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

TEST_F(CceDispatches, FollowWhatIsWanted) {
  const auto names = [&](CcePath path, const host::CceWork& work) {
    (void)dispatches(statement_of(10, 4, 20, path, work));
    return stream_.pipelines;
  };
  EXPECT_THAT(names(CcePath::production, {true, true, true, true}),
              ElementsAre("cce_logits_float", "cce_loss_float", "cce_differentiate_float", "cce_dhidden_float",
                          "cce_dweight_float", "cce_dbias_float", "cce_store_losses"));
  EXPECT_THAT(names(CcePath::production, {true, false, false, false}),
              ElementsAre("cce_logits_float", "cce_loss_float", "cce_store_losses"));
  EXPECT_THAT(names(CcePath::production, {false, true, false, false}),
              ElementsAre("cce_logits_float", "cce_differentiate_float", "cce_dhidden_float"));
  EXPECT_THAT(names(CcePath::production, {false, false, false, true}),
              ElementsAre("cce_logits_float", "cce_differentiate_float", "cce_dbias_float"));
  EXPECT_THAT(names(CcePath::production, {}), ElementsAre());
  EXPECT_THAT(
      names(CcePath::plain, {true, true, true, false}),
      ElementsAre("cce_plain_forward_float", "cce_plain_dhidden_float", "cce_plain_dweight_float", "cce_store_losses"));
  EXPECT_THAT(names(CcePath::plain, {false, false, true, true}), ElementsAre("cce_plain_dweight_float"));
  EXPECT_THAT(names(CcePath::plain, {}), ElementsAre());
}

TEST_F(CceDispatches, AreInTilesOf64RowsAndColumns) {
  for (const auto& [M, H, V, token_tiles, H_tiles, entry_tiles] :
       {std::tuple{1U, 1U, 1U, 1U, 1U, 1U}, {64U, 64U, 64U, 1U, 1U, 1U}, {65U, 129U, 513U, 2U, 3U, 9U}}) {
    const auto all = dispatches(statement_of(M, H, V, CcePath::production));
    ASSERT_EQ(all.size(), 7U);
    EXPECT_EQ(all[0].groups, (Size{token_tiles, entry_tiles, 1})) << "logits";
    EXPECT_EQ(all[1].groups, (Size{M, 1, 1})) << "loss";
    EXPECT_EQ(all[2].groups, (Size{(V + 511) / 512, M, 1})) << "differentiate";
    EXPECT_EQ(all[3].groups, (Size{H_tiles, token_tiles, 1})) << "dhidden";
    EXPECT_EQ(all[4].groups, (Size{H_tiles, entry_tiles, 1})) << "dweight";
    EXPECT_EQ(all[5].groups, (Size{(V + 127) / 128, 1, 1})) << "dbias";
    EXPECT_EQ(all[6].groups, (Size{(M + 31) / 32, 1, 1})) << "store_losses";
    EXPECT_EQ(all[6].kernel.threads, 32U);
    for (const std::size_t product : {0U, 2U, 3U, 4U, 5U}) EXPECT_EQ(all[product].kernel.threads, 128U);
  }
}

/// The order of additions depends on the threads, which may not depend on anything but V.
TEST_F(CceDispatches, OfTheLossHaveAThreadPer16Entries) {
  for (const auto& [V, threads] : {std::pair{1U, 32U}, {512U, 32U}, {513U, 64U}, {3584U, 224U}, {131'072U, 256U}})
    for (const std::uint64_t M : {1U, 100U})
      EXPECT_EQ(dispatches(statement_of(M, 4, V, CcePath::production, {.forward = true}))[1].kernel.threads, threads)
          << V;
}

TEST_F(CceDispatches, OfThePlainPathHaveAGroupARow) {
  const auto all = dispatches(statement_of(10, 4, 20, CcePath::plain));
  EXPECT_EQ(all[0].groups, (Size{10, 1, 1}));
  EXPECT_EQ(all[1].groups, (Size{10, 1, 1}));
  EXPECT_EQ(all[2].groups, (Size{20, 1, 1}));
  for (std::size_t n = 0; n < 3; ++n) EXPECT_EQ(all[n].kernel.threads, 256U);
  stream_.max_threads = 100;
  EXPECT_EQ(dispatches(statement_of(10, 4, 20, CcePath::plain))[0].kernel.threads, 96U) << "whole simdgroups";
  stream_.limits.max_total_threads_per_threadgroup = 64;
  EXPECT_EQ(dispatches(statement_of(10, 4, 20, CcePath::plain))[0].kernel.threads, 64U);
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

/// No block has tokens, and all results are still written.
TEST_F(CceDispatches, OfIgnoredTokensWriteZeros) {
  CceCase c = some_cce(40, 9, 130, true);
  const auto names = [&](CcePath path, std::uint64_t M) {
    (void)dispatches(host::cce_statement(Typed<float>(c).problem(), M, {true, true, true, true}, path));
    return stream_.pipelines;
  };
  EXPECT_THAT(names(CcePath::production, 0),
              ElementsAre("cce_dweight_float", "cce_dbias_float", "cce_store_losses", "cce_clear_dhidden_float"));
  EXPECT_THAT(names(CcePath::plain, 0),
              ElementsAre("cce_plain_dweight_float", "cce_store_losses", "cce_clear_dhidden_float"));
  EXPECT_THAT(names(CcePath::production, 33), testing::Contains("cce_clear_dhidden_float"));
  const auto all = dispatches(
      host::cce_statement(Typed<float>(c).problem(), 3, {.forward = true, .dhidden = true}, CcePath::production));
  EXPECT_EQ(all[all.size() - 2].groups, (Size{2, 1, 1})) << "as many as tokens or ignored ones";
  EXPECT_EQ(all.back().groups, (Size{37, 1, 1}));
  EXPECT_EQ(all.back().shape.ignored, 37U);
}

TEST_F(CceDispatches, TellTheKernelsTheProblem) {
  CceCase c = some_cce(7, 9, 40, true);
  c.logit_softcap = 30;
  c.label_smoothing = 0.1;
  c.z_loss = 1e-4;
  const Typed<BFloat16> typed(c);
  host::CceStatement statement =
      host::cce_statement(typed.problem(), 6, {.dhidden = true, .dbias = true}, CcePath::production);
  statement.chunk = 1024;
  const auto all = dispatches(statement);
  EXPECT_THAT(stream_.pipelines, ElementsAre("cce_logits_bfloat", "cce_differentiate_bfloat", "cce_dhidden_bfloat",
                                             "cce_dbias_bfloat", "cce_clear_dhidden_bfloat"));
  const cce::Shape& shape = all[0].shape;
  EXPECT_EQ(shape.H, 9U);
  EXPECT_EQ(shape.V, 40U);
  EXPECT_EQ(shape.M, 6U);
  EXPECT_EQ(shape.cap, 30.0F);
  EXPECT_EQ(shape.keep, 0.9F);
  EXPECT_EQ(shape.smoothing, 0.1F);
  EXPECT_EQ(shape.share, static_cast<float>(0.1 / 40));
  EXPECT_EQ(shape.rest, static_cast<float>(0.1 - 0.1 / 40));
  EXPECT_EQ(shape.z_loss, 1e-4F);
}

TEST_F(CceDispatches, SpecialiseTheKernels) {
  const auto constants = [&](const CceCase& c, const host::CceWork& work) {
    std::map<std::uint32_t, FunctionConstants::Value> values;
    EXPECT_CALL(*stream_.library, new_function(testing::_, testing::_))
        .WillOnce([&](const std::string&, const FunctionConstants& given) -> Result<std::shared_ptr<const Function>> {
          values = given.values();
          return error(Error::Kind::not_found, "enough seen");
        });
    EXPECT_FALSE(made(host::cce_statement(Typed<float>(c).problem(), 1, work, CcePath::production)));
    std::string text;
    for (const auto& [index, value] : values) text += value.bytes[0] != 0 ? "1" : "0";
    return text;
  };
  CceCase c = some_cce(1, 1, 2);
  EXPECT_EQ(constants(c, {.forward = true}), "000");
  c.bias = {0, 1};
  EXPECT_EQ(constants(c, {.forward = true, .dweight = true}), "100");
  c.logit_softcap = 1;
  EXPECT_EQ(constants(c, {.forward = true, .dbias = true}), "110");
  c.logit_softcap = 1e300;
  EXPECT_EQ(constants(c, {.forward = true}), "100") << "no logit gets there";
  c.label_smoothing = 0.1;
  EXPECT_EQ(constants(c, {.forward = true}), "101");
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
