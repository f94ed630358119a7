#include "metal/host/ctc/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
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

/// Below this many classes, counting labels is faster than comparing them.
constexpr std::size_t max_counted_classes = 256;

/// The label in the upper 32 bits, its position in the lower: classes and positions have no more.
std::uint64_t keyed(Targets labels, std::size_t position) {
  return static_cast<std::uint64_t>(labels[position]) << 32 | position;
}

/// The labels' keys in ascending order. All labels are below max_counted_classes.
void count_labels(Targets labels, std::vector<std::uint64_t>& sorted) {
  std::array<std::uint32_t, max_counted_classes + 1> begin{};
  for (const std::int64_t label : labels) ++begin[static_cast<std::size_t>(label) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (std::size_t i = 0; i < labels.size(); ++i)
    sorted[begin[static_cast<std::size_t>(labels[i])]++] = keyed(labels, i);
}

/// The labels' keys in ascending order.
void sort_labels(Targets labels, std::int64_t C, std::vector<std::uint64_t>& sorted) {
  sorted.resize(labels.size());
  if (static_cast<std::size_t>(C) <= max_counted_classes) return count_labels(labels, sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = keyed(labels, i);
  std::ranges::sort(sorted);
}

/// Appends the tables of a row's labels. Slots are in ascending order of their classes, and positions of labels in the
/// order of their slots. `sorted` is room to work in.
void append_labels(CtcRows& tables, ctc::Row& row, Targets labels, std::int64_t blank, std::int64_t C,
                   std::vector<std::uint64_t>& sorted) {
  row.labels_begin = tables.order.size();
  row.classes_begin = tables.classes.size();
  tables.order.resize(row.labels_begin + labels.size());
  tables.slots.resize(row.labels_begin + labels.size());
  const std::span<std::uint32_t> order = std::span(tables.order).subspan(row.labels_begin);
  const std::span<std::uint32_t> slots = std::span(tables.slots).subspan(row.labels_begin);
  sort_labels(labels, C, sorted);
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
    append_labels(tables, row, labels[b], problem.blank, problem.C, sorted);
    tables.rows.push_back(row);
  }
  return tables;
}

template Result<CtcRows> ctc_rows(const CtcProblem<float>&);
template Result<CtcRows> ctc_rows(const CtcProblem<Half>&);
template Result<CtcRows> ctc_rows(const CtcProblem<BFloat16>&);

}  // namespace assay::metal::host
