// A table of the live states has memory for these alone, and zeros elsewhere.
#include "reference/ctc/live_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace assay::reference {
namespace {

TEST(LiveTable, HasMemoryForTheLiveStatesAlone) {
  LiveTable<double> table(4098, 2 * 4097 + 1);
  std::size_t states = 0;
  for (std::int64_t t = 0; t < table.rows(); ++t) states += table.row(t).size();
  EXPECT_EQ(states, 12'292U);
  EXPECT_TRUE(LiveTable<double>(2, 9).row(0).empty()) << "two frames have no alignment of four labels";
}

TEST(LiveTable, KeepsEachElementApartAndIsZeroElsewhere) {
  LiveTable<int> table(6, 7);
  int next = 0;
  for (std::int64_t t = 0; t < table.rows(); ++t)
    for (int& element : table.row(t)) element = ++next;
  next = 0;
  for (std::int64_t t = 0; t < table.rows(); ++t) {
    const auto end = table.first(t) + std::ssize(table.row(t));
    for (std::int64_t s = 0; s < table.cols(); ++s)
      EXPECT_EQ(std::as_const(table)(t, s), s >= table.first(t) && s < end ? ++next : 0) << "t=" << t << " s=" << s;
  }
  EXPECT_GT(next, 0);
}

}  // namespace
}  // namespace assay::reference
