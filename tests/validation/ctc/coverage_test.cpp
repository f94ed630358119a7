// Coverage: each class of cases is met by a case of its own, and by no case without it.
#include "validation/ctc/operation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/validation/ctc/kernels.h"

namespace assay::validation {
namespace {

using tests::infinity;

/// T=5 frames, C=3 classes, the label 1: in no class at all.
CtcCase ordinary() {
  CtcCase c;
  c.T = 5;
  c.B = 1;
  c.C = 3;
  c.activations.assign(15, 0.5F);
  c.input_lengths = {5};
  set_targets(c, {{1}});
  return c;
}

void set_frames(CtcCase& c, std::int64_t frames) {
  c.T = frames;
  c.input_lengths = {frames};
  c.activations.assign(static_cast<std::size_t>(frames * c.C), 0.5F);
}

const std::map<std::string, std::function<void(CtcCase&)>>& makers() {
  static const std::map<std::string, std::function<void(CtcCase&)>> all = {
      {"no labels", [](CtcCase& c) { set_targets(c, {{}}); }},
      {"no frames", [](CtcCase& c) { c.input_lengths = {0}; }},
      {"one frame", [](CtcCase& c) { c.input_lengths = {1}; }},
      {"too few frames", [](CtcCase& c) { set_targets(c, {{1, 1, 1, 2}}); }},
      {"just enough frames", [](CtcCase& c) { set_targets(c, {{1, 1, 2, 1}}); }},
      {"repeated labels", [](CtcCase& c) { set_targets(c, {{1, 1}}); }},
      {"31 labels or more",
       [](CtcCase& c) {
         set_frames(c, 40);
         std::vector<std::int64_t> labels;
         for (int s = 0; s < 31; ++s) labels.push_back(1 + s % 2);
         set_targets(c, {labels});
       }},
      {"64 frames or more", [](CtcCase& c) { set_frames(c, 64); }},
      {"lengths differ",
       [](CtcCase& c) {
         c = select_rows(c, {0, 0});
         c.input_lengths = {5, 4};
       }},
      {"blank is not 0", [](CtcCase& c) { c.blank = 2; }},
      {"blank alone (C = 1)",
       [](CtcCase& c) {
         c.C = 1;
         c.activations.assign(5, 0.5F);
         set_targets(c, {{}});
       }},
      {"-inf activations", [](CtcCase& c) { c.activations[14] = -infinity; }},
      {"|activation| >= 100", [](CtcCase& c) { c.activations[0] = -100; }},
      {"log_probs", [](CtcCase& c) { c.input = CtcInput::log_probs; }},
      {"concatenated", [](CtcCase& c) { c.layout = CtcTargets::concatenated; }},
      {"upstream given", [](CtcCase& c) { c.upstream = {1}; }},
      {"reduced", [](CtcCase& c) { c.reduction = Reduction::sum; }},
      {"zero_infinity", [](CtcCase& c) { c.zero_infinity = true; }},
      {"float16", [](CtcCase& c) { c.dtype = Dtype::float16; }},
      {"bfloat16", [](CtcCase& c) { c.dtype = Dtype::bfloat16; }},
  };
  return all;
}

TEST(Coverage, PutsAnOrdinaryCaseIntoNoClass) {
  EXPECT_THAT(classes_of<CtcOperation>(ordinary()), IsEmpty());
}

TEST(Coverage, KnowsEachClassByACaseOfIt) {
  for (const auto& [name, make] : makers()) {
    CtcCase c = ordinary();
    make(c);
    EXPECT_THAT(classes_of<CtcOperation>(c), Contains(name));
  }
}

TEST(Coverage, HasNoClassWithoutATestOfIt) {
  std::set<std::string> tested;
  for (const auto& [name, make] : makers()) tested.insert(name);
  std::set<std::string> counted;
  const Coverage coverage(class_names<CtcOperation>());
  for (const auto& [name, count] : coverage.counts()) counted.insert(name);
  EXPECT_EQ(tested, counted);
}

TEST(Coverage, LooksAtNothingPastTheLengths) {
  CtcCase c = ordinary();
  c.input_lengths = {4};
  c.activations[12] = -infinity;
  c.activations[13] = 1e9F;
  EXPECT_THAT(classes_of<CtcOperation>(c), IsEmpty());
}

TEST(Coverage, StopsShortOfTheBorders) {
  CtcCase c = ordinary();
  c.activations[0] = 99;
  set_targets(c, {{1, 1, 2}});  // needs four of five frames
  EXPECT_THAT(classes_of<CtcOperation>(c), Not(Contains("|activation| >= 100")));
  EXPECT_THAT(classes_of<CtcOperation>(c), Not(Contains("just enough frames")));
  set_frames(c, 63);
  EXPECT_THAT(classes_of<CtcOperation>(c), Not(Contains("64 frames or more")));
}

TEST(Coverage, CountsFromZero) {
  Coverage coverage(class_names<CtcOperation>());
  for (const auto& [name, count] : coverage.counts()) EXPECT_EQ(count, 0) << name;
  CtcCase c = ordinary();
  c.zero_infinity = true;
  coverage.count(classes_of<CtcOperation>(c));
  coverage.count(classes_of<CtcOperation>(c));
  coverage.count(classes_of<CtcOperation>(ordinary()));
  for (const auto& [name, count] : coverage.counts()) EXPECT_EQ(count, name == "zero_infinity" ? 2 : 0) << name;
  EXPECT_EQ(coverage.cases(), 3);
}

}  // namespace
}  // namespace assay::validation
