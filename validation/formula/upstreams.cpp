#include "validation/formula/upstreams.h"

#include <algorithm>
#include <cmath>

namespace assay::validation::formula {
namespace {

void leave_one_output(Doubles& upstream, Random& random) {
  const auto used = static_cast<std::size_t>(random.integer(0, std::ssize(upstream) - 1));
  for (std::size_t k = 0; k < upstream.size(); ++k)
    if (k != used) std::ranges::fill(upstream[k], 0);
}

/// A row is all elements along the last axis, or one element of a vector.
void mask_rows(std::vector<double>& upstream, const std::vector<std::int64_t>& shape, Random& random) {
  const std::size_t row = shape.size() < 2 ? 1 : std::max<std::size_t>(1, static_cast<std::size_t>(shape.back()));
  for (std::size_t first = 0; first + row <= upstream.size(); first += row)
    if (random.chance(0.5)) std::fill_n(upstream.begin() + static_cast<std::ptrdiff_t>(first), row, 0.0);
}

/// Products of an upstream and of inputs that are large or small themselves may leave the range of right kernels.
bool may_be_scaled(const ValueClass& values, Dtype dtype) {
  using Kind = ValueClass::Kind;
  return dtype != Dtype::float16 && (values.kind == Kind::normal || values.kind == Kind::integers ||
                                     values.kind == Kind::sorted || values.kind == Kind::one_hot);
}

void scale(std::vector<double>& upstream, int exponent) {
  for (double& x : upstream) x = std::ldexp(x, exponent);
}

}  // namespace

void put_upstream_of_training(const Subject& subject, Case& c) {
  if (c.values.is_fixed()) return;
  constexpr std::int64_t kinds = 5, plain = 5, largest_loss_scale = 16, mean_of_many = -20;
  Random random(c.seed + 1);
  const auto kind = random.integer(0, kinds + plain - 1);
  if (kind == 0) return leave_one_output(c.upstream, random);
  const auto& shapes = subject.trace(c.extents)->shapes;
  for (std::size_t k = 0; k < c.upstream.size(); ++k) {
    auto& upstream = c.upstream[k];
    if (upstream.empty()) continue;
    if (kind == 1) mask_rows(upstream, shapes[k], random);
    if (kind == 2) std::ranges::fill(upstream, upstream[0] == 0 ? 1 : upstream[0]);
    if (kind > 2 && kind < kinds && may_be_scaled(c.values, storage_of_output(subject, k)))
      scale(upstream, kind == 3 ? largest_loss_scale : mean_of_many);
  }
}

}  // namespace assay::validation::formula
