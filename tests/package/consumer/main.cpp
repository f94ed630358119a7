// Two frames, blank and one label, all logits 0: of the four paths three spell the label, so the loss is ln(4/3).
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "metal/cpu/ctc/loss.h"
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
  std::vector<float> loss(1), gradient(logits.size());
  metal::ctc_loss(problem, {.loss = loss, .gradient = gradient});

  const double expected = std::log(4.0 / 3.0);
  std::printf("expected %.9f, reference %.9f, kernel %.9f\n", expected, exact.loss[0], static_cast<double>(loss[0]));
  bool ok = std::abs(exact.loss[0] - expected) <= 1e-15 && std::abs(static_cast<double>(loss[0]) - expected) <= 1e-7;
  for (std::size_t i = 0; i < gradient.size(); ++i)
    ok = ok && std::abs(static_cast<double>(gradient[i]) - exact.gradient[i]) <= 1e-7;
  return ok ? 0 : 1;
}
