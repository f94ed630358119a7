#include "tests/kernels/ctc_tables.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "reference/ctc/targets.h"

namespace assay::metal::test {
namespace {

using reference::Reduction;

/// Slots as the labels first appear, blank before them all.
void add_labels(reference::Targets labels, std::int64_t blank, CtcTables& tables) {
  std::map<std::int64_t, std::uint32_t> slots = {{blank, 0}};
  std::vector<std::uint32_t> own;
  tables.classes.push_back(static_cast<std::uint32_t>(blank));
  for (std::size_t s = 0; s < labels.size(); ++s) {
    const auto [slot, is_new] = slots.emplace(labels[s], static_cast<std::uint32_t>(slots.size()));
    if (is_new) tables.classes.push_back(static_cast<std::uint32_t>(labels[s]));
    own.push_back(slot->second);
  }
  std::vector<std::uint32_t> order(own.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t s) { return own[s]; });
  for (std::uint32_t slot = 0; slot < slots.size(); ++slot)
    tables.ends.push_back(
        static_cast<std::uint32_t>(std::ranges::count_if(own, [&](std::uint32_t other) { return other <= slot; })));
  tables.slots.insert(tables.slots.end(), own.begin(), own.end());
  tables.order.insert(tables.order.end(), order.begin(), order.end());
}

float share_of(const reference::CtcProblem<float>& problem, std::size_t b) {
  if (problem.reduction != Reduction::mean) return 1.0F;
  const auto labels = static_cast<double>(std::max<std::int64_t>(problem.target_lengths[b], 1));
  return static_cast<float>(1.0 / (static_cast<double>(problem.B) * labels));
}

float weight_of(const reference::CtcProblem<float>& problem, std::size_t b) {
  const float upstream =
      problem.upstream.empty() ? 1.0F : problem.upstream[problem.reduction == Reduction::none ? b : 0];
  return share_of(problem, b) * upstream;
}

}  // namespace

CtcTables ctc_tables(const reference::CtcProblem<float>& problem, std::uint64_t alpha_frames,
                     std::uint64_t beta_frames) {
  CtcTables tables;
  const auto targets = reference::target_rows(problem);
  for (std::size_t b = 0; b < targets.size(); ++b) {
    ctc::Row row{};
    row.frames = static_cast<std::uint32_t>(problem.input_lengths[b]);
    row.labels = static_cast<std::uint32_t>(targets[b].size());
    row.share = share_of(problem, b);
    row.weight = weight_of(problem, b);
    row.labels_begin = tables.slots.size();
    row.classes_begin = tables.classes.size();
    add_labels(targets[b], problem.blank, tables);
    row.classes = static_cast<std::uint32_t>(tables.classes.size() - row.classes_begin);
    const std::uint64_t L = 2 * targets[b].size() + 1;
    row.emissions_begin = tables.emissions;
    row.alpha_begin = tables.alpha;
    row.beta_begin = tables.beta;
    tables.emissions += std::uint64_t{row.frames} * row.classes;
    tables.alpha += L * (alpha_frames == 0 ? row.frames : alpha_frames);
    tables.beta += L * (beta_frames == 0 ? row.frames : beta_frames);
    tables.longest = std::max(tables.longest, L);
    tables.rows.push_back(row);
  }
  return tables;
}

}  // namespace assay::metal::test
