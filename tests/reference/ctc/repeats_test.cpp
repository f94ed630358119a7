#include "reference/ctc/repeats.h"

#include <vector>

#include "reference/ctc/enumeration.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

using Labels = std::vector<std::int64_t>;

TEST(Repeats, CountsEqualNeighbours) {
  EXPECT_EQ(repeats(Labels{}), 0);
  EXPECT_EQ(repeats(Labels{1, 2, 1}), 0);
  EXPECT_EQ(repeats(Labels{1, 2, 2, 2, 1, 1}), 3);
}

TEST(Feasible, IsWhetherAnAlignmentExists) {
  tests::for_each_lattice([](const tests::Lattice& lattice) {
    EXPECT_EQ(feasible(lattice.T, lattice.labels), !alignments(lattice.T, lattice.labels, lattice.blank).empty());
  });
}

}  // namespace
}  // namespace assay::reference
