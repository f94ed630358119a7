// A user's own operation: its formula as a template, from which a right kernel and a faulty one are judged.
#include <cmath>
#include <cstdio>

#include "validation/formula/operation.h"

namespace {

using namespace assay::validation::formula;

/// y = tanh(x w), for each element of x [N] and of w [N]
struct Gate {
  template <class Number>
  Arrays<Number> operator()(const Extents&, const Arrays<Number>& inputs) const {
    std::vector<Number> y;
    for (std::size_t i = 0; i < inputs[0].size(); ++i)
      y.push_back(assay::reference::formula::tanh<Number>(inputs[0][i] * inputs[1][i]));
    return {y};
  }
};

Kernel kernel(float factor) {
  return [factor](const Case& c) {
    Doubles y(1);
    for (std::size_t i = 0; i < c.arrays[0].size(); ++i)
      y[0].push_back(double{std::tanh(float(c.arrays[0][i]) * float(c.arrays[1][i]) * factor)});
    return y;
  };
}

/// The number of properties that the kernel fails.
int failures(float factor) {
  Subject subject = subject_of({"gate", {{"x", {"N"}}, {"w", {"N"}}}, {"N"}, {{"N", 33}}}, {{"N"}}, Gate());
  subject.forward = kernel(factor);
  const auto result = run(subject, {.options = options_of(20)});
  std::printf("%s\n", assay::validation::table_text(result).c_str());
  return assay::validation::failures_of(result);
}

}  // namespace

int main() {
  return failures(1) == 0 && failures(1.001F) > 0 ? 0 : 1;
}
