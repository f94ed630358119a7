// Needle cases (validation/core/reach.h): one large extent, and values by which each of its indices decides a result.
#include "validation/cce/operation.h"

#include <algorithm>
#include <cmath>
#include <string_view>

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

}  // namespace

CceCase CceOperation::needle(std::string_view extent, std::int64_t size) {
  if (extent == "N") return many_tokens(size);
  return extent == "V" ? many_entries(size) : many_columns(size);
}

}  // namespace assay::validation
