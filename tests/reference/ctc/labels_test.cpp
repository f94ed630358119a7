// Expansion, repeats, feasibility, collapse, alignments and their number: what CTC means, before any probability.
#include "reference/ctc/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/ctc/count_alignments.h"
#include "reference/ctc/enumeration.h"
#include "reference/ctc/repeats.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Labels = std::vector<std::int64_t>;

TEST(Expand, PutsBlanksAroundAndBetween) {
  EXPECT_THAT(expand(Labels{1, 2, 2}, 0), ElementsAre(0, 1, 0, 2, 0, 2, 0));
  EXPECT_THAT(expand(Labels{}, 5), ElementsAre(5));
}

TEST(MaySkipTo, NeedsTwoDifferentLabels) {
  const Labels expanded = expand(Labels{1, 2, 2}, 0);
  std::vector<bool> may;
  for (std::int64_t s = 0; s < 7; ++s) may.push_back(may_skip_to(expanded, s));
  EXPECT_THAT(may, ElementsAre(false, false, false, true, false, false, false));
}

TEST(Repeats, CountsEqualNeighbours) {
  EXPECT_EQ(repeats(Labels{}), 0);
  EXPECT_EQ(repeats(Labels{1, 2, 1}), 0);
  EXPECT_EQ(repeats(Labels{1, 2, 2, 2, 1, 1}), 3);
}

TEST(Collapse, MergesRunsThenDropsBlanks) {
  EXPECT_THAT(collapse(Labels{1, 0, 1, 2, 0}, 0), ElementsAre(1, 1, 2));
  EXPECT_THAT(collapse(Labels{0, 1, 1, 0, 0, 1, 2, 2}, 0), ElementsAre(1, 1, 2));
  EXPECT_THAT(collapse(Labels{3, 0, 3}, 3), ElementsAre(0));
  EXPECT_THAT(collapse(Labels{}, 0), IsEmpty());
}

TEST(Alignments, AreListedForTwoLabelsInThreeFrames) {
  EXPECT_THAT(alignments(3, Labels{1, 2}, 0),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(1, 0, 2), ElementsAre(1, 1, 2), ElementsAre(1, 2, 0),
                          ElementsAre(1, 2, 2)));
  EXPECT_THAT(alignments(3, Labels{1, 1}, 0), ElementsAre(ElementsAre(1, 0, 1)));
  EXPECT_THAT(alignments(0, Labels{}, 0), ElementsAre(IsEmpty()));
  EXPECT_THAT(alignments(0, Labels{1}, 0), IsEmpty());
}

TEST(Feasible, IsWhetherAnAlignmentExists) {
  tests::for_each_lattice([](const tests::Lattice& lattice) {
    EXPECT_EQ(feasible(lattice.T, lattice.labels), !alignments(lattice.T, lattice.labels, lattice.blank).empty());
  });
}

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
