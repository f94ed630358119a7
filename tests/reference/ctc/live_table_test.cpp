// A table of the live states has memory for these alone, and zeros elsewhere.
#include "reference/ctc/live_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace assay::reference {
namespace {

TEST(LiveTable, HasMemoryForTheLiveStatesAlone) {
  const std::int64_t T = 4098, L = 2 * 4097 + 1;
  LiveTable<double> table(T, L);
  const std::vector<double> frame(static_cast<std::size_t>(L), 1);
  std::size_t states = 0;
  for (std::int64_t t = 0; t < T; ++t) {
    table.push_back(frame);
    states += table.row(t).size();
  }
  EXPECT_EQ(states, 12'292U);
  LiveTable<double> impossible(2, 9);
  impossible.push_back(std::span(frame).first(9));
  EXPECT_TRUE(impossible.row(0).empty()) << "two frames have no alignment of four labels";
}

TEST(LiveTable, KeepsEachElementApartAndIsZeroElsewhere) {
  LiveTable<int> table(6, 7);
  std::vector<int> frame(7);
  for (int t = 0; t < 6; ++t) {
    EXPECT_EQ(table.rows(), t);
    std::iota(frame.begin(), frame.end(), 1 + 7 * t);
    table.push_back(frame);
  }
  for (std::int64_t t = 0; t < table.rows(); ++t) {
    const auto [first, end] = live_states(t, 6, 7);
    EXPECT_EQ(std::ssize(table.row(t)), end - first);
    for (std::int64_t s = 0; s < table.cols(); ++s)
      EXPECT_EQ(table(t, s), s >= first && s < end ? 1 + 7 * t + s : 0) << "t=" << t << " s=" << s;
  }
}

}  // namespace
}  // namespace assay::reference
