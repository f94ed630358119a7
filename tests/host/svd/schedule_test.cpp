// Which columns meet when: each pair exactly once in a sweep, and none twice in a step.
#include "metal/kernels/svd/schedule.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace assay::metal::test {
namespace {

using svd::ColumnPair;

/// The pairs of a sweep, step by step.
class Sweep {
 public:
  void begin_step() { in_step_.clear(); }
  void add(ColumnPair pair) {
    EXPECT_LT(pair.first, pair.second);
    EXPECT_TRUE(in_step_.insert(pair.first).second) << pair.first << " meets two in one step";
    EXPECT_TRUE(in_step_.insert(pair.second).second) << pair.second << " meets two in one step";
    EXPECT_TRUE(all_.insert({pair.first, pair.second}).second) << pair.first << ", " << pair.second << " meet twice";
  }
  void expect_all(std::uint32_t first, std::uint32_t second) const {
    EXPECT_TRUE(all_.contains({first, second})) << first << ", " << second << " do not meet";
  }
  std::size_t size() const { return all_.size(); }

 private:
  std::set<std::uint32_t> in_step_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> all_;
};

TEST(SvdSchedule, RoundRobinBringsEachPairTogetherOnce) {
  for (const std::uint32_t n : {2U, 4U, 6U, 8U, 10U, 32U, 64U, 66U, 128U, 130U, 256U}) {
    Sweep sweep;
    for (std::uint32_t step = 0; step < n - 1; ++step) {
      sweep.begin_step();
      for (std::uint32_t k = 0; k < n / 2; ++k) sweep.add(svd::round_robin(n, step, k));
    }
    EXPECT_EQ(sweep.size(), std::size_t{n} * (n - 1) / 2);
    for (std::uint32_t j = 1; j < n; ++j)
      for (std::uint32_t i = 0; i < j; ++i) sweep.expect_all(i, j);
  }
}

/// Steps of pairs of blocks, one after the other as threadgroups have them, all blocks at once.
TEST(SvdSchedule, BlocksBringEachPairOfColumnsTogetherOnce) {
  for (const std::uint32_t width : {1U, 2U, 16U})
    for (const std::uint32_t blocks : {2U, 4U, 6U}) {
      Sweep sweep;
      for (std::uint32_t outer = 0; outer < blocks - 1; ++outer)
        for (std::uint32_t step = 0; step < svd::inner_steps(width, outer == 0); ++step) {
          sweep.begin_step();
          for (std::uint32_t group = 0; group < blocks / 2; ++group)
            for (std::uint32_t k = 0; k < width; ++k)
              sweep.add(svd::columns_of_blocks(width, svd::round_robin(blocks, outer, group),
                                               svd::inner_pair(width, outer == 0, step, k)));
        }
      const std::uint32_t n = width * blocks;
      EXPECT_EQ(sweep.size(), std::size_t{n} * (n - 1) / 2) << width << " " << blocks;
      for (std::uint32_t j = 1; j < n; ++j)
        for (std::uint32_t i = 0; i < j; ++i) sweep.expect_all(i, j);
    }
}

}  // namespace
}  // namespace assay::metal::test
