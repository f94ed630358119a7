// Lines that replay a failure: those of operations, and those of an operation that is a formula.
#include "tests/fuzz/targets.h"
#include "validation/formula/operation.h"
#include "validation/registry.h"

namespace assay::validation::fuzz {
namespace {

/// y = x t[i], of x [N, 3] and indices i [N] of a table t [V]
struct Looked {
  template <class Number>
  formula::Arrays<Number> operator()(const formula::Extents&, const formula::Arrays<Number>& inputs) const {
    std::vector<Number> y;
    for (std::size_t n = 0; n < inputs[0].size(); ++n) y.push_back(inputs[0][n] * inputs[1][n / 3]);
    return {y};
  }
};

const formula::Subject& looked() {
  static const formula::Subject subject = [] {
    formula::Specification specification{
        "looked", {{"x", {"N", "3"}}, {"t", {"N"}}, {"i", {"N"}, formula::Kind::index, "V"}}, {"N", "V"}};
    return formula::subject_of(specification, {{"N", "3"}}, Looked());
  }();
  return subject;
}

template <class Operation>
void read_line(const Words& words) {
  may_refuse([&] {
    const auto c = Operation::from_words(words);
    require_valid(c);
    Operation::from_words(parse_words(Operation::to_text(c)));
  });
}

template <class Operation>
std::string line() {
  Random random(1);
  return Operation::to_text(Operation::generate(random, 5, {}));
}

}  // namespace

void run_words(const std::string& text) {
  may_refuse([&] {
    const Words words = parse_words(text);
    read_line<CtcOperation>(words);
    read_line<CceOperation>(words);
    read_line<SvdOperation>(words);
  });
}

std::vector<std::string> words_seeds() {
  return {line<CtcOperation>(), line<CceOperation>(), line<SvdOperation>()};
}

void run_formula(const std::string& text) {
  const formula::Specification& specification = looked().specification;
  may_refuse([&] {
    const formula::Case c = formula::from_words(specification, parse_words(text), looked().trace);
    formula::from_words(specification, parse_words(formula::to_text(specification, c)), looked().trace);
    for (const auto& shrink : formula::shrinks_of(specification, c, looked().trace)) shrink();
  });
}

std::vector<std::string> formula_seeds() {
  Random random(1);
  return {formula::to_text(looked().specification,
                           formula::draw(random, 1, looked().specification, looked().trace, Dtype::float32, {})),
          "N=2 V=5 layout=1 x=1,2,3,-4e-3,nan,inf t=0.5,2 i=0,4 upstream0=1,1,1,1,1,1"};
}

}  // namespace assay::validation::fuzz
