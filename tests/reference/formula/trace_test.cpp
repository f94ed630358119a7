// A template that is traced gives the same as the template that is called.
#include "reference/formula/trace.h"

#include <gtest/gtest.h>

namespace assay::reference::formula {
namespace {

template <class Number>
Number formula(const std::vector<Number>& x) {
  using Traits = NumberTraits<Number>;
  const Number m = largest<Number>(x), s = sum<Number>(x), p = product<Number>(x), low = smallest<Number>(x);
  const Number picked = chosen<Number>(less<Number>(x[0], x[1]), Traits::exp(-x[0]), Number(3.0));
  Number y = Traits::log(s) + tanh<Number>(p) * picked - logaddexp<Number>(m, low);
  y /= Number(2.0) + equal<Number>(x[2], x[2]);
  return larger<Number>(y, -y) + function<Number>(Op::erf, m) * power<Number>(s, low);
}

TEST(FormulaTrace, TheGraphGivesWhatTheTemplateGives) {
  for (const std::vector<double>& at : {std::vector<double>{0.5, 1.25, 2}, std::vector<double>{3, 0.25, 0.75}}) {
    Graph graph;
    std::int32_t node = 0;
    const Variable y = formula(Variable::input(graph, "x", 3, node));
    const auto last = static_cast<std::size_t>(Variable::join(graph, {y}));
    const auto values = evaluate<double>(graph, [&](const std::string&) { return at; });
    EXPECT_EQ(values[last][0], formula(at));
  }
}

TEST(FormulaTrace, ConstantsAloneNeedNoGraph) {
  Graph graph;
  const Variable two = Variable(1.0) + Variable(1.0);
  const auto node = static_cast<std::size_t>(Variable::join(graph, {two * Variable(3.0)}));
  EXPECT_EQ(evaluate<double>(graph, [](const std::string&) { return std::vector<double>(); })[node][0], 6);
}

TEST(FormulaTrace, ABranchOnDataIsRefused) {
  Graph graph;
  std::int32_t node = 0;
  const auto x = Variable::input(graph, "x", 2, node);
  EXPECT_THROW(static_cast<void>(x[0] < x[1]), std::domain_error);
}

}  // namespace
}  // namespace assay::reference::formula
