// Given cases at the sizes people train with: T up to 2000, C up to 5000, logits scaled up to 50.
#include "validation/ctc/operation.h"

#include <fmt/format.h>

namespace assay::validation {

CtcCase CtcOperation::sized_case(std::int64_t T, std::int64_t C, std::int64_t S, double scale, std::uint64_t seed) {
  Random random(seed);
  CtcCase c;
  c.T = T;
  c.B = 1;
  c.C = C;
  c.input_lengths = {T};
  std::vector<std::int64_t> labels;
  for (std::int64_t s = 0; s < S; ++s) labels.push_back(random.integer(1, C - 1));
  set_targets(c, {labels});
  for (std::int64_t i = 0; i < T * C; ++i) c.activations.push_back(static_cast<float>(scale * random.gaussian()));
  return c;
}

std::vector<CtcNamedCase> CtcOperation::sized_cases() {
  struct Size {
    std::int64_t T, C, S;
    double scale;
  };
  const Size sizes[] = {{150, 28, 75, 1},   {150, 5000, 75, 1},  {150, 28, 75, 50},
                        {2000, 64, 400, 1}, {2000, 64, 200, 50}, {2000, 64, 400, 50}};
  std::vector<CtcNamedCase> cases;
  for (const Size& size : sizes) {
    cases.push_back({fmt::format("T={} C={} S={} logits x{}", size.T, size.C, size.S, size.scale),
                     sized_case(size.T, size.C, size.S, size.scale, 7), true});
  }
  return cases;
}

}  // namespace assay::validation
