// Coverage: each class of cases is met by a case of its own, and by no case without it.
#include "validation/cce/operation.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/validation/cce/kernels.h"

namespace assay::validation {
namespace {

using testing::IsSubsetOf;

using tests::infinity;

/// N=2 tokens of H=8 and V=16 entries.
CceCase ordinary() {
  CceCase c;
  c.N = 2;
  c.H = 8;
  c.V = 16;
  c.hidden.assign(16, 0.5F);
  c.weight.assign(128, 0.25F);
  c.targets = {3, 5};
  return c;
}

void set_extents(CceCase& c, std::int64_t N, std::int64_t H, std::int64_t V) {
  c.N = N;
  c.H = H;
  c.V = V;
  c.hidden.assign(static_cast<std::size_t>(N * H), 0.5F);
  c.weight.assign(static_cast<std::size_t>(V * H), 0.25F);
  c.targets.clear();
  for (std::int64_t n = 0; n < N; ++n) c.targets.push_back(n % V);
}

void set_bias(CceCase& c, std::size_t entry, float bias) {
  c.bias.assign(static_cast<std::size_t>(c.V), 0.0F);
  c.bias[entry] = bias;
}

const std::map<std::string, std::function<void(CceCase&)>>& makers() {
  static const std::map<std::string, std::function<void(CceCase&)>> all = {
      {"one token", [](CceCase& c) { set_extents(c, 1, 8, 16); }},
      {"7 tokens or more", [](CceCase& c) { set_extents(c, 7, 8, 16); }},
      {"one word", [](CceCase& c) { set_extents(c, 1, 8, 1); }},
      {"200 words or more", [](CceCase& c) { set_extents(c, 2, 8, 200); }},
      {"1000 words or more", [](CceCase& c) { set_extents(c, 2, 8, 1000); }},
      {"V a multiple of 8", [](CceCase& c) { set_extents(c, 2, 8, 24); }},
      {"V not a multiple of 8", [](CceCase& c) { set_extents(c, 2, 8, 17); }},
      {"H not a multiple of 8", [](CceCase& c) { set_extents(c, 2, 9, 16); }},
      {"H of 15 or more", [](CceCase& c) { set_extents(c, 2, 16, 16); }},
      {"some ignored", [](CceCase& c) { c.targets[0] = -100; }},
      {"all ignored", [](CceCase& c) { c.targets = {-100, -100}; }},
      {"ignore_index is a word", [](CceCase& c) { c.ignore_index = 0; }},
      {"a target twice", [](CceCase& c) { c.targets = {5, 5}; }},
      {"bias", [](CceCase& c) { set_bias(c, 0, 1); }},
      {"-inf bias", [](CceCase& c) { set_bias(c, 9, -infinity); }},
      {"-inf bias first", [](CceCase& c) { set_bias(c, 0, -infinity); }},
      {"-inf at a target", [](CceCase& c) { set_bias(c, 5, -infinity); }},
      {"|bias| >= 1000", [](CceCase& c) { set_bias(c, 2, -1000); }},
      {"|logit| >= 50",
       [](CceCase& c) {
         c.weight[0] = -100;
         c.hidden[8] = 1;
       }},
      {"float16", [](CceCase& c) { c.dtype = Dtype::float16; }},
      {"bfloat16", [](CceCase& c) { c.dtype = Dtype::bfloat16; }},
      {"softcap", [](CceCase& c) { c.logit_softcap = 30; }},
      {"label smoothing", [](CceCase& c) { c.label_smoothing = 0.1; }},
      {"z-loss", [](CceCase& c) { c.z_loss = 1e-4; }},
      {"upstream given", [](CceCase& c) { c.upstream = {1, 1}; }},
      {"sum", [](CceCase& c) { c.reduction = Reduction::sum; }},
      {"mean", [](CceCase& c) { c.reduction = Reduction::mean; }},
  };
  return all;
}

/// Every vocabulary is a multiple of 8 or it is not; beyond that an ordinary case is nothing special.
TEST(CceCoverage, PutsAnOrdinaryCaseIntoNoOtherClass) {
  EXPECT_NO_THROW(require_valid(ordinary()));
  EXPECT_THAT(classes_of<CceOperation>(ordinary()), testing::ElementsAre("V a multiple of 8"));
}

TEST(CceCoverage, KnowsEachClassByACaseOfIt) {
  for (const auto& [name, make] : makers()) {
    CceCase c = ordinary();
    make(c);
    EXPECT_NO_THROW(require_valid(c)) << name;
    EXPECT_THAT(classes_of<CceOperation>(c), Contains(name));
  }
}

TEST(CceCoverage, HasNoClassWithoutATestOfIt) {
  std::set<std::string> tested, counted;
  for (const auto& [name, make] : makers()) tested.insert(name);
  for (const auto& name : class_names<CceOperation>()) EXPECT_TRUE(counted.insert(name).second) << name;
  EXPECT_EQ(tested, counted);
}

/// A change brings its own class and those that it implies, and no others.
TEST(CceCoverage, TellsClassesApart) {
  const auto brings = [](const std::string& name, const std::set<std::string>& others) {
    CceCase c = ordinary();
    makers().at(name)(c);
    std::set<std::string> allowed = others;
    allowed.insert({name, "V a multiple of 8"});
    EXPECT_THAT(classes_of<CceOperation>(c), IsSubsetOf(allowed));
  };
  brings("-inf bias", {"bias"});
  brings("-inf at a target", {"bias", "-inf bias"});
  brings("-inf bias first", {"bias", "-inf bias"});
  brings("|bias| >= 1000", {"bias"});
  brings("some ignored", {});
  brings("a target twice", {});
  brings("softcap", {});
  brings("mean", {});
  brings("7 tokens or more", {});
}

TEST(CceCoverage, StopsShortOfTheBorders) {
  CceCase c = ordinary();
  c.logit_softcap = infinity;  // which is none
  set_bias(c, 0, 999);
  c.weight[0] = 2 * 49 - 2 * 0.25F * 0.5F * 7;
  EXPECT_THAT(classes_of<CceOperation>(c), testing::ElementsAre("V a multiple of 8", "bias"));
  set_extents(c, 6, 14, 199);
  c.bias.clear();
  EXPECT_THAT(classes_of<CceOperation>(c), testing::ElementsAre("V not a multiple of 8", "H not a multiple of 8"));
}

TEST(CceCoverage, LooksAtNoLogitOfAnIgnoredToken) {
  CceCase c = ordinary();
  c.targets[1] = -100;
  for (std::size_t i = 8; i < 16; ++i) c.hidden[i] = 1e6F;
  EXPECT_THAT(classes_of<CceOperation>(c), Not(Contains("|logit| >= 50")));
  set_bias(c, 5, -infinity);
  EXPECT_THAT(classes_of<CceOperation>(c), Not(Contains("-inf at a target"))) << "entry 5 is no target now";
}

TEST(CceCoverage, CountsNothingForABatchOfNothing) {
  CceCase c = select_tokens(ordinary(), {});
  EXPECT_THAT(classes_of<CceOperation>(c), Not(Contains("all ignored")));
  EXPECT_THAT(classes_of<CceOperation>(c), Not(Contains("one token")));
}

}  // namespace
}  // namespace assay::validation
