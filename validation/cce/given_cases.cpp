// Cases of cross-entropy that generation does not reach: vocabularies just above whole chunks and hidden sizes of whole
// tiles, needle cases (validation/core/reach.h), and sharp cases for checks of the gradients at extents past 1000.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "validation/cce/operation.h"

namespace assay::validation {
namespace {

CceCase blank_case(std::int64_t N, std::int64_t H, std::int64_t V) {
  CceCase c;
  c.N = N;
  c.H = H;
  c.V = V;
  for (std::int64_t n = 0; n < N; ++n) c.targets.push_back((V - 1 - n % V + V) % V);
  return c;
}

void fill(std::vector<float>& values, std::int64_t count, double scale, Random& random) {
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(scale * random.gaussian()));
}

/// Many tokens, of which no more than needle_period are different. Each target has the smallest logit, so that no loss
/// is small beside the bound on the sum of all.
CceCase many_tokens(std::int64_t N) {
  CceCase c = blank_case(N, 2, 5);
  Random of_weight(1);
  fill(c.weight, c.V * c.H, 1, of_weight);
  for (std::int64_t n = 0; n < N; ++n) {
    Random random(static_cast<std::uint64_t>(1 + n % needle_period));
    fill(c.hidden, c.H, 1, random);
    const auto logit = [&](std::int64_t v) {
      return c.hidden_at(n, 0) * c.weight_at(v, 0) + c.hidden_at(n, 1) * c.weight_at(v, 1);
    };
    std::int64_t& target = c.targets[static_cast<std::size_t>(n)];
    target = 0;
    for (std::int64_t v = 1; v < c.V; ++v) target = logit(v) < logit(target) ? v : target;
  }
  return c;
}

/// Token 0 spreads the probability over all entries. Token 1 gives it to 64 of them, the last among them: few terms
/// have a small bound. Token 2 has logits of 0, whose exponentials are summed without an error: each of them decides
/// the loss. The targets have the largest values; of an odd number of entries the last is no target.
CceCase many_entries(std::int64_t V) {
  constexpr float nothing = -200;
  CceCase c = blank_case(3, 2, V);
  Random random(static_cast<std::uint64_t>(V));
  const std::int64_t last = V - 1 - V % 2;
  c.targets = {last, last - 1, last};
  c.hidden = {1, 0, 0, 1, 0, 0};
  c.bias.assign(static_cast<std::size_t>(V), 0);
  for (std::int64_t v = 0; v < V; ++v) {
    c.weight.push_back(static_cast<float>(random.gaussian()));
    c.weight.push_back(nothing);
  }
  for (const std::int64_t v : some_indices(V, 64)) c.weight_at(v, 1) = static_cast<float>(random.gaussian());
  for (const std::int64_t v : c.targets) c.weight_at(v, 1) = 1;
  return c;
}

/// Each token takes every 16th column, so that its sums have few terms; all products are of one size, and entries 0 and
/// 1 have opposite ones: no column is without effect.
CceCase many_columns(std::int64_t H) {
  CceCase c = blank_case(std::min<std::int64_t>(H, 16), H, 3);
  Random random(static_cast<std::uint64_t>(H));
  const auto scale = static_cast<float>(std::pow(static_cast<double>(H) / static_cast<double>(c.N), -0.25));
  const auto sign = [&] { return random.pick({-scale, scale}); };
  for (std::int64_t& target : c.targets) target = random.integer(0, 1);
  for (std::int64_t n = 0; n < c.N; ++n)
    for (std::int64_t h = 0; h < H; ++h) c.hidden.push_back(h % c.N == n ? sign() : 0);
  for (std::int64_t h = 0; h < H; ++h) c.weight.push_back(sign());
  for (std::int64_t h = 0; h < H; ++h) c.weight.push_back(-c.weight_at(0, h));
  for (std::int64_t h = 0; h < H; ++h) c.weight.push_back(sign());
  return c;
}

/// A bias of -inf at the first entries: whole chunks of the vocabulary are without one that counts.
CceCase masked_at_the_start(std::int64_t N, std::int64_t H, std::int64_t V, std::int64_t masked) {
  CceCase c = CceOperation::sized_case(N, H, V, 1, Dtype::float32, 7);
  c.bias.assign(static_cast<std::size_t>(V), 0);
  std::fill_n(c.bias.begin(), masked, -std::numeric_limits<float>::infinity());
  for (std::int64_t& target : c.targets) target = V - 1;
  return c;
}

// Sharp cases: each token, entry and column decides some element in turn.

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

std::vector<GivenCase> CceOperation::sized_cases() {
  struct Size {
    std::int64_t N, H, V;
    double scale;
    Dtype dtype;
  };
  const Size sizes[] = {{4, 16, 16'385, 1, Dtype::float32},
                        {40, 96, 300, 10, Dtype::float32},
                        {20, 256, 150, 1, Dtype::bfloat16},
                        {2, 4, 40'000, 50, Dtype::float32}};
  std::vector<GivenCase> cases;
  for (const Size& size : sizes)
    cases.push_back(
        {fmt::format("N={} H={} V={} logits x{} {}", size.N, size.H, size.V, size.scale, name_of(size.dtype)),
         sized_case(size.N, size.H, size.V, size.scale, size.dtype, 7), true});
  cases.push_back(
      {"N=3 H=4 V=20000, of which the first 16400 are masked", masked_at_the_start(3, 4, 20'000, 16'400), true});
  return cases;
}

CceCase CceOperation::needle(std::string_view extent, std::int64_t size) {
  if (extent == "N") return many_tokens(size);
  return extent == "V" ? many_entries(size) : many_columns(size);
}

std::vector<CceNamedCase> CceOperation::sharp_cases() {
  return {{"sharp case of 1027 entries", circle(6, 2, 1027)},
          {"sharp case of 4101 entries", circle(4, 2, 4101)},
          {"sharp case of 1030 tokens", circle(1030, 2, 3)},
          {"sharp case of 1029 columns", circle(3, 1029, 4)}};
}

}  // namespace assay::validation
