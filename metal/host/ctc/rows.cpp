#include "metal/host/ctc/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

#include "metal/cpu/ctc/output.h"
#include "metal/cpu/half.h"
#include "metal/host/failure.h"
#include "reference/ctc/targets.h"

namespace assay::metal::host {

namespace {

using reference::CtcProblem;
using reference::Targets;

/// The kernels count frames, rows, classes and states in 32 bits.
template <class Real>
Result<void> check_extents(const CtcProblem<Real>& problem) {
  constexpr std::uint64_t max = std::numeric_limits<std::uint32_t>::max(), max_labels = (max - 1) / 2;
  if (Result<void> fits = check_extent("T", static_cast<std::uint64_t>(problem.T), max); !fits) return fits;
  if (Result<void> fits = check_extent("B", static_cast<std::uint64_t>(problem.B), max); !fits) return fits;
  if (Result<void> fits = check_extent("C", static_cast<std::uint64_t>(problem.C), max); !fits) return fits;
  for (std::size_t b = 0; b < problem.target_lengths.size(); ++b) {
    const auto labels = static_cast<std::uint64_t>(problem.target_lengths[b]);
    if (labels > max_labels) return check_extent(fmt::format("target_lengths[b={}]", b), labels, max_labels);
  }
  return {};
}

/// The labels in ascending order, each with its position in the lower 32 bits: classes and positions have no more.
void sort_labels(Targets labels, std::vector<std::uint64_t>& sorted) {
  sorted.resize(labels.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = static_cast<std::uint64_t>(labels[i]) << 32 | i;
  std::ranges::sort(sorted);
}

/// Appends the tables of a row's labels. Slots are in ascending order of their classes, and positions of labels in the
/// order of their slots. `sorted` is room to work in.
void append_labels(CtcRows& tables, ctc::Row& row, Targets labels, std::int64_t blank,
                   std::vector<std::uint64_t>& sorted) {
  row.labels_begin = tables.order.size();
  row.classes_begin = tables.classes.size();
  tables.order.resize(row.labels_begin + labels.size());
  tables.slots.resize(row.labels_begin + labels.size());
  const std::span<std::uint32_t> order = std::span(tables.order).subspan(row.labels_begin);
  const std::span<std::uint32_t> slots = std::span(tables.slots).subspan(row.labels_begin);
  sort_labels(labels, sorted);
  tables.classes.push_back(static_cast<std::uint32_t>(blank));
  tables.ends.push_back(0);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<std::uint32_t>(sorted[i]);
    const auto label = static_cast<std::uint32_t>(sorted[i] >> 32);
    if (i == 0 || label != static_cast<std::uint32_t>(sorted[i - 1] >> 32)) {
      tables.classes.push_back(label);
      tables.ends.push_back(i);
    }
    tables.ends.back() = i + 1;
    slots[order[i]] = static_cast<std::uint32_t>(tables.classes.size() - row.classes_begin - 1);
  }
  row.classes = static_cast<std::uint32_t>(tables.classes.size() - row.classes_begin);
}

}  // namespace

template <class Real>
Result<CtcRows> ctc_rows(const CtcProblem<Real>& problem) {
  if (const Result<void> fit = check_extents(problem); !fit) return tl::unexpected(fit.error());
  CtcRows tables;
  const std::vector<Targets> labels = reference::target_rows(problem);
  tables.rows.reserve(labels.size());
  std::vector<std::uint64_t> sorted;
  for (std::size_t b = 0; b < labels.size(); ++b) {
    const double share = cpu::reduction_weight(problem, b);
    ctc::Row row{};
    row.frames = static_cast<std::uint32_t>(problem.input_lengths[b]);
    row.labels = static_cast<std::uint32_t>(labels[b].size());
    row.share = static_cast<float>(share);
    row.weight = static_cast<float>(share * cpu::upstream(problem, b));
    append_labels(tables, row, labels[b], problem.blank, sorted);
    tables.rows.push_back(row);
  }
  return tables;
}

template Result<CtcRows> ctc_rows(const CtcProblem<float>&);
template Result<CtcRows> ctc_rows(const CtcProblem<Half>&);
template Result<CtcRows> ctc_rows(const CtcProblem<BFloat16>&);

}  // namespace assay::metal::host
