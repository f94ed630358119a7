// A permutation of the classes, blank included, permutes the gradient and does not change the loss.
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

/// The new index of each class: a rotation, and for three classes or more also a swap.
std::vector<std::int64_t> renaming(const CtcCase& c) {
  std::vector<std::int64_t> names;
  for (std::int64_t k = 0; k < c.C; ++k) names.push_back((k + 1 + c.T % c.C) % c.C);
  if (c.C > 2) std::swap(names[0], names[2]);
  return names;
}

CtcCase renamed(const CtcCase& c, const std::vector<std::int64_t>& names) {
  CtcCase d = c;
  d.blank = names[static_cast<std::size_t>(c.blank)];
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t b = 0; b < c.B; ++b) {
    rows.push_back(c.labels(b));
    for (auto& label : rows.back()) label = names[static_cast<std::size_t>(label)];
  }
  set_targets(d, rows);
  for (std::int64_t t = 0; t < c.T; ++t) {
    for (std::int64_t b = 0; b < c.B; ++b) {
      for (std::int64_t k = 0; k < c.C; ++k)
        d.activation(t, b, names[static_cast<std::size_t>(k)]) = c.activation(t, b, k);
    }
  }
  return d;
}

Finding check_permutation(const CtcContext& context, const CtcCase& c) {
  const auto names = renaming(c);
  const CtcBounds bounds(c, context.kernel.info());
  const CtcRun before = run_valid(context.kernel, c);
  CtcRun after = run_valid(context.kernel, renamed(c, names));
  const std::vector<float> gradient = after.gradient;
  for (std::size_t frame = 0; frame < gradient.size(); frame += names.size())
    for (std::size_t k = 0; k < names.size(); ++k)
      after.gradient[frame + k] = gradient[frame + static_cast<std::size_t>(names[k])];
  Comparison comparison;
  for (std::size_t i = 0; i < before.loss.size(); ++i) {
    const bool finite = before.loss[i] - before.loss[i] == 0;
    comparison.near({"loss", -1, static_cast<std::int64_t>(i)}, after.loss[i], double{before.loss[i]},
                    finite ? 2 * bounds.loss(i) : 0);
  }
  compare_gradients(comparison, c, bounds, after, before, 2);
  return comparison.finding();
}

}  // namespace

CtcProperty permutation() {
  return {"permutation", "renaming classes renames the gradient", {}, check_permutation};
}

}  // namespace assay::validation::properties
