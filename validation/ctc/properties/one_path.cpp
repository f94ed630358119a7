// A row with exactly as many frames as its labels need has one alignment: each label once, and a blank between equal
// neighbours. So the loss is -sum_t ln y_t of that path, whatever the number of labels.
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

/// The path through as many of the labels as fit into T frames. Drops the other labels.
std::vector<std::int64_t> only_path(std::vector<std::int64_t>& labels, std::int64_t blank, std::int64_t T) {
  std::vector<std::int64_t> path;
  for (std::size_t s = 0; s < labels.size(); ++s) {
    const bool is_repeat = s > 0 && labels[s] == labels[s - 1];
    if (std::ssize(path) + (is_repeat ? 2 : 1) > T) {
      labels.resize(s);
      break;
    }
    if (is_repeat) path.push_back(blank);
    path.push_back(labels[s]);
  }
  return path;
}

Finding check_one_path(const CtcContext& context, const CtcCase& given) {
  CtcCase c = given;
  c.reduction = Reduction::none;
  c.upstream.clear();
  std::vector<std::vector<std::int64_t>> rows, paths;
  for (std::int64_t b = 0; b < c.B; ++b) {
    std::int64_t& frames = c.input_lengths[static_cast<std::size_t>(b)];
    rows.push_back(c.labels(b));
    paths.push_back(only_path(rows.back(), c.blank, frames));
    frames = std::ssize(paths.back());
  }
  set_targets(c, rows);
  const CtcBounds bounds(c, context.kernel.info());
  const CtcRun run = run_valid(context.kernel, c);
  Comparison comparison;
  for (std::int64_t b = 0; b < c.B; ++b)
    if (bounds.possible(b)) compare_single_alignment(comparison, c, bounds, run, b, paths[static_cast<std::size_t>(b)]);
  if (!comparison.anything()) return Finding::skip("no row can be aligned");
  return comparison.finding();
}

}  // namespace

CtcProperty one_path() {
  return {"one-path", "no frame to spare: the loss of the one path", {.impossible_rows = 0}, check_one_path};
}

}  // namespace assay::validation::properties
