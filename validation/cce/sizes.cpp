// Given cases larger than generated ones: vocabularies just above whole chunks, hidden sizes of whole tiles.
#include "validation/cce/operation.h"

#include <fmt/format.h>

#include <cmath>

namespace assay::validation {

CceCase CceOperation::sized_case(std::int64_t N, std::int64_t H, std::int64_t V, double scale, Dtype dtype,
                                 std::uint64_t seed) {
  Random random(seed);
  CceCase c;
  c.N = N;
  c.H = H;
  c.V = V;
  c.dtype = dtype;
  const double factor = std::sqrt(scale / std::sqrt(static_cast<double>(H)));
  for (std::int64_t i = 0; i < N * H; ++i) c.hidden.push_back(rounded_to(dtype, factor * random.gaussian()));
  for (std::int64_t i = 0; i < V * H; ++i) c.weight.push_back(rounded_to(dtype, factor * random.gaussian()));
  for (std::int64_t n = 0; n < N; ++n) c.targets.push_back(n % 7 == 3 ? c.ignore_index : random.integer(0, V - 1));
  return c;
}

std::vector<CceNamedCase> CceOperation::sized_cases() {
  struct Size {
    std::int64_t N, H, V;
    double scale;
    Dtype dtype;
  };
  const Size sizes[] = {{4, 16, 16'385, 1, Dtype::float32},
                        {40, 96, 300, 10, Dtype::float32},
                        {20, 256, 150, 1, Dtype::bfloat16},
                        {2, 4, 40'000, 50, Dtype::float32}};
  std::vector<CceNamedCase> cases;
  for (const Size& size : sizes)
    cases.push_back(
        {fmt::format("N={} H={} V={} logits x{} {}", size.N, size.H, size.V, size.scale, name_of(size.dtype)),
         sized_case(size.N, size.H, size.V, size.scale, size.dtype, 7), true});
  return cases;
}

}  // namespace assay::validation
