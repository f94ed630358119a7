// Which buffers a plan and its caller have, and how long: in 64 bits.
#include "metal/host/cce/workspace.h"

#include <gtest/gtest.h>

#include "metal/host/cce/plan.h"
#include "tests/host/cce/statements.h"
#include "tests/host/host_stream.h"
#include "tests/matchers.h"

namespace assay::metal::test {
namespace {

/// Labels and lengths of what is allocated for a statement, and of what the caller has.
std::map<std::string, std::uint64_t> lengths_of(const host::CceStatement& statement) {
  HostStream stream;
  EXPECT_TRUE(host::cce_workspace(*stream.device, statement, {}));
  const CcePlan plan(statement, {}, {});
  for (const auto& [name, bytes] : {std::pair{"hidden", plan.hidden_bytes()},
                                    {"weight", plan.weight_bytes()},
                                    {"bias", plan.bias_bytes()},
                                    {"loss", plan.loss_bytes()},
                                    {"lse", plan.lse_bytes()},
                                    {"dhidden", plan.dhidden_bytes()},
                                    {"dweight", plan.dweight_bytes()},
                                    {"dbias", plan.dbias_bytes()}})
    if (bytes != 0) stream.lengths[std::string("cce ") + name] = bytes;
  return stream.lengths;
}

TEST(CceWorkspace, HasOnlyWhatTheWorkNeeds) {
  const auto names = [](CcePath path, const host::CceWork& work) {
    std::vector<std::string> all;
    for (const auto& [label, length] : lengths_of(statement_of(100, 40, 200, path, work)))
      all.push_back(label.substr(4));
    return all;
  };
  EXPECT_THAT(names(CcePath::production, {.forward = true}),
              UnorderedElementsAre("tokens", "hidden", "weight", "lse", "losses", "loss", "scores"));
  EXPECT_THAT(names(CcePath::plain, {.forward = true}),
              UnorderedElementsAre("tokens", "hidden", "weight", "lse", "losses", "loss", "scores"));
  EXPECT_THAT(names(CcePath::production, {.dhidden = true}),
              UnorderedElementsAre("tokens", "hidden", "weight", "lse", "scores", "dhidden"));
  EXPECT_THAT(names(CcePath::production, {.dweight = true}),
              UnorderedElementsAre("tokens", "hidden", "weight", "lse", "scores", "dweight"));
  EXPECT_THAT(names(CcePath::plain, {.dbias = true}),
              UnorderedElementsAre("tokens", "hidden", "weight", "bias", "lse", "sums", "dbias"));
}

/// The seed's largest: N V is 2^32 and less, N V floats are more, and so are the bytes of hidden and weight.
TEST(CceWorkspace, IsCountedIn64Bits) {
  host::CceStatement statement = statement_of(1'048'576, 8192, 256'000, CcePath::production);
  statement.chunk = 64;
  const auto lengths = lengths_of(statement);
  EXPECT_EQ(lengths.at("cce dhidden"), std::uint64_t{1'048'576} * 8192 * 4);
  EXPECT_EQ(lengths.at("cce dweight"), std::uint64_t{256'000} * 8192 * 4);
  EXPECT_EQ(lengths.at("cce scores"), std::uint64_t{64} * 256'000 * 4) << "of a chunk, whatever N";
}

TEST(CceWorkspace, CountsAllThatNoChunkDecides) {
  const std::uint64_t inputs = (100 + 200) * 40 * 4 + 200 * 4;
  const std::uint64_t tables = 100 * (sizeof(cce::Token) + 8 + 4 + 4);
  for (const CcePath path : {CcePath::production, CcePath::plain})
    EXPECT_EQ(host::cce_fixed_bytes(statement_of(100, 40, 200, path)), 2 * inputs + tables);
}

TEST(CceWorkspace, RefusesWhatCannotBeCounted) {
  constexpr std::uint64_t most = std::uint64_t{1} << 29;
  EXPECT_TRUE(host::check_cce_extents(most, 1, most));
  EXPECT_THAT(host::check_cce_extents(most + 1, 1, 1).error().text, HasSubstr("N = 536870913: expected at most"));
  EXPECT_THAT(host::check_cce_extents(1, 1, most + 1).error().text, HasSubstr("V = 536870913: expected at most"));
  EXPECT_TRUE(host::check_cce_extents(0, std::uint64_t{1} << 57, 1));
  EXPECT_THAT(host::check_cce_extents(2, std::uint64_t{1} << 58, 1).error().text, HasSubstr("H = "));
  EXPECT_EQ(host::check_cce_extents(2, std::uint64_t{1} << 58, 1).error().kind, Error::Kind::limit);
}

}  // namespace
}  // namespace assay::metal::test
