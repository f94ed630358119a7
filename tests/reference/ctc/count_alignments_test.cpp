#include "reference/ctc/count_alignments.h"

#include <vector>

#include "reference/ctc/enumeration.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

using Labels = std::vector<std::int64_t>;

TEST(CountAlignments, AgreesWithTheListAndTheClosedForm) {
  tests::for_each_lattice([](const tests::Lattice& lattice) {
    const Integer listed = alignments(lattice.T, lattice.labels, lattice.blank).size();
    EXPECT_EQ(count_alignments(lattice.T, lattice.labels, lattice.blank), listed);
    EXPECT_EQ(count_alignments_closed_form(lattice.T, lattice.labels), listed);
  });
}

TEST(CountAlignments, IsExactWhereItIsLarge) {
  const Labels labels{1, 2, 3, 4, 5, 5, 4, 3, 3, 1};                         // S = 10, two repeats
  EXPECT_EQ(count_alignments(60, labels, 0), Integer("82115378669464140"));  // binomial(68, 20)
  EXPECT_EQ(count_alignments_closed_form(60, labels), Integer("82115378669464140"));
}

}  // namespace
}  // namespace assay::reference
