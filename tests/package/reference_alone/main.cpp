// Two frames, blank and one label, all logits 0: of the four paths three spell the label, so the loss is ln(4/3).
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "reference/ctc/batch.h"

int main() {
  using namespace assay;
  const std::vector<float> logits(2 * 1 * 2, 0.0F);
  const std::vector<std::int64_t> targets = {1}, input_lengths = {2}, target_lengths = {1};
  reference::CtcProblem<float> problem{.T = 2, .B = 1, .C = 2, .S = 1};
  problem.activations = logits;
  problem.targets = targets;
  problem.input_lengths = input_lengths;
  problem.target_lengths = target_lengths;
  const auto exact = reference::ctc_outcome<double>(problem);
  std::printf("%.17g\n", exact.loss[0]);
  return std::abs(exact.loss[0] - std::log(4.0 / 3.0)) <= 1e-15 ? 0 : 1;
}
