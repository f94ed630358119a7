#include "reference/formula/followed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/formula/evaluate.h"

namespace assay::reference {
namespace {

using Traits = NumberTraits<Followed>;
using formula::Graph;
using formula::Node;
using formula::Op;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Followed, DecidesByTheDoubleAndKeepsTheResidueOfWhatIsChosen) {
  const Followed a(1.5), b(2.5);
  EXPECT_EQ(formula::detail::larger(a, b).residue, b.residue);
  EXPECT_EQ(formula::detail::chosen(Followed(1), a, b).residue, a.residue);
  EXPECT_EQ(formula::detail::chosen(Followed(0), a, b).residue, b.residue);
  EXPECT_EQ(formula::detail::magnitude(-a).residue, a.residue);
  EXPECT_EQ(Functions<Followed>::floor(Followed(-1.5)).residue, Residue::of(-2.0));
}

TEST(Followed, MarksChoicesThatRoundingMayTurn) {
  const Followed third = Followed(1) / Followed(3), near(0.33333334), far(0.5);
  EXPECT_TRUE(formula::detail::larger(third, near).residue.traits & Residue::close_choice);
  EXPECT_FALSE(formula::detail::larger(third, far).residue.traits & Residue::close_choice);
  EXPECT_FALSE(formula::detail::larger(Followed(0.25), Followed(0.25 + 0x1p-30)).residue.traits)
      << "nothing is rounded";
  const Followed undecided = formula::detail::comparison(Op::less, third, near);
  EXPECT_TRUE(formula::detail::chosen(undecided, far, third).residue.traits & Residue::close_choice);
}

TEST(Followed, MasksVanish) {
  EXPECT_EQ(Traits::exp(Followed(-infinity)).residue, Residue::of(0.0));
  EXPECT_EQ(Traits::exp(Followed(-1e9)).residue, Residue::of(0.0));
  EXPECT_NE(Traits::exp(Followed(-1000)).residue, Residue::of(0.0));
  EXPECT_EQ((Followed(2) * Followed(-infinity)).residue, Residue::infinity(false));
  EXPECT_EQ((Followed(2) / Followed(infinity)).residue, Residue::of(0.0));
  EXPECT_EQ((Followed(0) * Followed(infinity)).residue.kind, Residue::Kind::unknown);
}

/// sum(exp(x - max x)), log of it, plus max x: the graph of a formula, beside the sum written without a maximum.
TEST(Followed, EvaluatesGraphs) {
  Graph graph;
  const auto x = graph.add({.op = Op::input, .size = 4, .name = "x"});
  const auto m = graph.add({.op = Op::largest, .size = 1, .arguments = {x}, .inner = 4});
  const auto wide = graph.add({.op = Op::gather, .size = 4, .arguments = {m}, .index = {0, 0, 0, 0}});
  const auto d = graph.add({.op = Op::subtract, .size = 4, .arguments = {x, wide}});
  const auto e = graph.add({.op = Op::exp, .size = 4, .arguments = {d}});
  const auto s = graph.add({.op = Op::sum, .size = 1, .arguments = {e}, .inner = 4});
  const auto l = graph.add({.op = Op::log, .size = 1, .arguments = {s}});
  const auto shifted = graph.add({.op = Op::add, .size = 1, .arguments = {l, m}});
  const auto plain_e = graph.add({.op = Op::exp, .size = 4, .arguments = {x}});
  const auto plain_s = graph.add({.op = Op::sum, .size = 1, .arguments = {plain_e}, .inner = 4});
  const auto plain = graph.add({.op = Op::log, .size = 1, .arguments = {plain_s}});
  const auto values =
      formula::evaluate<Followed>(graph, [](const std::string&) { return std::vector{0.5, -2.25, 1.75, 0.1}; });
  const auto at = [&](std::int32_t node) { return values[static_cast<std::size_t>(node)][0]; };
  EXPECT_EQ(compare(at(shifted), at(plain)), Comparison::equal);
  EXPECT_NEAR(at(shifted).value, at(plain).value, 1e-12);
  EXPECT_EQ(compare(at(l), at(plain)), Comparison::different);
}

}  // namespace
}  // namespace assay::reference
