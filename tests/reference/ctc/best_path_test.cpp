// The Viterbi alignment against the best of all alignments.
#include "reference/ctc/best_path.h"

#include <algorithm>

#include "reference/ctc/enumeration.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

TEST(BestPath, IsTheBestOfAllAlignments) {
  tests::for_each_lattice([](const tests::Lattice& x) {
    Rational best = 0;
    for (const auto& alignment : alignments(x.T, x.labels, x.blank))
      best = std::max(best, path_probability(x.y, alignment));
    const BestPath<Rational> found = best_path(x.y, x.expanded);
    EXPECT_EQ(found.probability(), best);
    if (best == 0) return;
    EXPECT_EQ(collapse(found.alignment(), x.blank), x.labels);
    EXPECT_EQ(std::ssize(found.alignment()), x.T);
    EXPECT_EQ(path_probability(x.y, found.alignment()), best);
  });
}

TEST(BestPath, LetsGoOfLongPathsWithoutRecursion) {
  const std::int64_t T = 200'000;
  const std::vector<std::int64_t> expanded{0};
  EXPECT_EQ(best_path(Matrix<double>(T, 1, 1.0), expanded).alignment(),
            std::vector<std::int64_t>(static_cast<std::size_t>(T), 0));
}

}  // namespace
}  // namespace assay::reference
