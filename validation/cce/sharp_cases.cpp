// Cases for checks of the gradients of cross-entropy at extents past 1000, in which each token, entry and column
// decides some element in turn.
#include <cmath>

#include "validation/cce/operation.h"

namespace assay::validation {
namespace {

/// Entry v has the weight (cos a, sin a, 0, ...) with a = 2 pi v / V, and a token is its target's weight times 1/16,
/// which leaves all entries about equally probable, times 4 or times 16. Targets are the first and the last entries.
/// Further columns are Gaussian and small.
CceCase circle(std::int64_t N, std::int64_t H, std::int64_t V) {
  Random random(static_cast<std::uint64_t>(N + H + V));
  CceCase c;
  c.N = N;
  c.H = H;
  c.V = V;
  const auto angle = [&](std::int64_t v) {
    return 2 * 3.14159265358979 * static_cast<double>(v) / static_cast<double>(V);
  };
  const auto add = [&](std::vector<float>& to, double length, double turn) {
    for (std::int64_t h = 0; h < H; ++h)
      to.push_back(static_cast<float>(h == 0   ? length * std::cos(turn)
                                      : h == 1 ? length * std::sin(turn)
                                               : random.gaussian() / static_cast<double>(H)));
  };
  for (std::int64_t v = 0; v < V; ++v) add(c.weight, 1, angle(v));
  for (std::int64_t n = 0; n < N; ++n) {
    c.targets.push_back(n % 2 == 0 ? V - 1 - n / 2 % V : n / 2 % V);
    add(c.hidden, n % 3 == 0 ? 1.0 / 16 : n % 3 == 1 ? 4 : 16, angle(c.targets.back()));
  }
  return c;
}

}  // namespace

std::vector<CceNamedCase> CceOperation::sharp_cases() {
  return {{"sharp case of 1027 entries", circle(6, 2, 1027), true},
          {"sharp case of 4101 entries", circle(4, 2, 4101), true},
          {"sharp case of 1030 tokens", circle(1030, 2, 3), true},
          {"sharp case of 1029 columns", circle(3, 1029, 4), true}};
}

}  // namespace assay::validation
