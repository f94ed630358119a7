// Each target of the fuzzer takes its seeds, and survives them damaged.
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "tests/fuzz/targets.h"
#include "tests/matchers.h"
#include "tests/refusal.h"

namespace assay::validation::fuzz {
namespace {

class FuzzCorpus : public testing::TestWithParam<Target> {};

/// Cut short, with bytes changed, or with a part twice.
std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t size) { return random() % std::max<std::size_t>(size, 1); };
  const std::size_t at = below(text.size());
  switch (random() % 3) {
    case 0:
      return text.substr(0, at);
    case 1:
      return text.substr(0, at) + text.substr(below(at));
    default:
      for (int i = 0; i < 3 && !text.empty(); ++i) text[below(text.size())] = static_cast<char>(random());
      return text;
  }
}

TEST_P(FuzzCorpus, IsTakenWholeAndDamaged) {
  std::mt19937 random(1);
  ASSERT_THAT(GetParam().seeds(), Not(IsEmpty()));
  for (const std::string& seed : GetParam().seeds()) {
    EXPECT_NO_THROW(GetParam().run(seed));
    for (int i = 0; i < 10; ++i) EXPECT_NO_THROW(GetParam().run(damaged(seed, random)));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzCorpus, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(Fuzz, FindsRefusalsWithoutWordsAndOtherExceptions) {
  may_refuse([] { throw std::invalid_argument("N=x: expected a number"); });
  EXPECT_THROW(may_refuse([] { throw std::invalid_argument("stoll"); }), std::logic_error);
  EXPECT_THROW(may_refuse([] { throw std::out_of_range("map::at"); }), std::out_of_range);
}

}  // namespace
}  // namespace assay::validation::fuzz
