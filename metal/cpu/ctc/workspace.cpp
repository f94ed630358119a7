#include "metal/cpu/ctc/workspace.h"

#include <algorithm>
#include <limits>

#include "metal/cpu/half.h"
#include "reference/ctc/validate.h"

namespace assay::metal::cpu {

namespace {

/// Throws std::invalid_argument where the bytes of rows * width cells, in all buffers together, overflow std::size_t.
void expect_countable(const char* name, std::size_t rows, std::size_t width) {
  constexpr std::size_t max_cells = std::numeric_limits<std::size_t>::max() / 4096;
  if (rows > max_cells / width)
    reference::detail::refuse(name, " = ", rows, " * ", width, ": expected a workspace that fits in 64 bits");
}

/// The bytes of the recursion in extended range, which needs more than the one in scaled doubles.
std::size_t cell_bytes(std::size_t T, std::size_t S, std::size_t K, std::size_t rows) {
  Arena arena;
  take_extended(arena, T, S, K, rows);
  return arena.used();
}

}  // namespace

ScaledCells take_scaled(Arena& arena, std::size_t T, std::size_t S, std::size_t K, std::size_t rows) {
  const std::size_t width = ScaledCells::width(S), stride = ScaledCells::stride(S);
  ScaledCells cells;
  cells.alpha = arena.take<double>(rows * stride);
  cells.of_labels = arena.take<double>(block * width);
  cells.next = arena.take<double>(stride + 8);
  cells.skips = arena.take<double>(width + 8);
  cells.exponents = arena.take<double>(T + 1);
  cells.label_totals = arena.take<double>(T);
  cells.blank_totals = arena.take<double>(T);
  cells.numerators = arena.take<double>(block * emission_stride(K));
  cells.interleaved = arena.take<double>(block * emission_stride(K));
  cells.occurs = arena.take<double>(emission_stride(K));
  cells.slots = arena.take<std::uint64_t>(width);
  return cells;
}

ExtendedCells take_extended(Arena& arena, std::size_t T, std::size_t S, std::size_t K, std::size_t rows) {
  ExtendedCells cells;
  cells.scaled = take_scaled(arena, T, S, K, 2 * rows);
  cells.of_labels = arena.take<double>(block * ScaledCells::width(S));
  cells.next = arena.take<double>(ScaledCells::stride(S) + 8);
  cells.emissions = arena.take<double>(2 * block * emission_stride(K));
  return cells;
}

/// Rows with more labels than frames have no alignment and need nothing.
template <class Real>
RowSizes row_sizes(const reference::CtcProblem<Real>& problem, bool with_gradient) {
  RowSizes sizes;
  sizes.classes = static_cast<std::size_t>(problem.C);
  for (std::size_t b = 0; b < problem.input_lengths.size(); ++b) {
    const auto T = static_cast<std::size_t>(problem.input_lengths[b]);
    const auto S = static_cast<std::size_t>(problem.target_lengths[b]);
    if (S > T) continue;
    expect_countable("T_b * L_b", T + 1, 2 * S + 1);
    const std::size_t K = max_kept_classes(S, sizes.classes);
    sizes.cells = std::max(sizes.cells, cell_bytes(T, S, K, kept_rows(T, with_gradient)));
    sizes.emissions = std::max(sizes.emissions, T * emission_stride(K));
    sizes.frames = std::max(sizes.frames, T);
    sizes.labels = std::max(sizes.labels, S);
  }
  return sizes;
}

std::span<double> take_exps(Arena& arena, const RowSizes& sizes) {
  return arena.take<double>(whole_lanes(sizes.classes));
}

RowWorkspace take_row(Arena& arena, const RowSizes& sizes) {
  const std::size_t S = sizes.labels, L = 2 * S + 1;
  RowWorkspace row;
  row.exps = take_exps(arena, sizes);
  row.emissions = arena.take<double>(sizes.emissions);
  row.normalizers = arena.take<Normalizer>(sizes.frames);
  row.cells = arena.take<std::byte>(sizes.cells);
  row.states.classes = arena.take<std::int64_t>(max_kept_classes(S, sizes.classes));
  row.states.slots = arena.take<std::size_t>(L);
  row.states.skips = arena.take<bool>(L + 2);
  row.states.seen = arena.take<std::uint32_t>(sizes.classes);
  return row;
}

SharedWorkspace take_shared(Arena& arena, std::size_t B) {
  return {arena.take<double>(B), arena.take<reference::Targets>(B), arena.take<std::size_t>(B), arena.take<States>(B)};
}

template RowSizes row_sizes(const reference::CtcProblem<float>&, bool);
template RowSizes row_sizes(const reference::CtcProblem<Half>&, bool);
template RowSizes row_sizes(const reference::CtcProblem<BFloat16>&, bool);

}  // namespace assay::metal::cpu
